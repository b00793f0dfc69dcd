/** Syntax of a language: comments, strings, and declarations of named parts. */
export interface Syntax {
  readonly comments: readonly { readonly begin: string; readonly end: string }[];
  readonly quotes: readonly Quote[];
  /** Whether blocks are delimited by brackets or by indentation. */
  readonly nests: 'braces' | 'indent';
  /**
   * Matched against lines of masked code; the first group is the name. Forms with `opens` may contain other
   * declarations.
   */
  readonly declarations: readonly DeclarationForm[];
  /** Lines before a declaration that belong to it: comments, decorators, attributes. */
  readonly leads: RegExp;
}

export interface Quote {
  readonly mark: string;
  /** `letter`: at most one character, for languages that also use the mark for other purposes. */
  readonly holds: 'line' | 'lines' | 'letter';
}

export interface DeclarationForm {
  readonly pattern: RegExp;
  readonly opens: boolean;
  /** Valid only within a container; elsewhere it could be something else, such as a call. */
  readonly onlyWithin?: boolean;
}

const line = (begin: string) => ({ begin, end: '\n' });
const block = { begin: '/*', end: '*/' };
const quote = (mark: string, spansLines = false): Quote => ({ mark, holds: spansLines ? 'lines' : 'line' });
const letter: Quote = { mark: "'", holds: 'letter' };
const declares = (pattern: RegExp) => ({ pattern, opens: false });
const opens = (pattern: RegExp) => ({ pattern, opens: true });

const C_COMMENTS = [block, line('//')];
const C_LEADS = /^\s*(?:\/\/|\/\*|\*|@|#\[|\[)/;

/** Keywords that look like the name of a function before a bracket. */
const NOT =
  '(?!(?:if|for|while|switch|catch|return|else|do|new|throw|await|typeof|sizeof|case|with|using|lock|foreach|synchronized|function|super|this|delete|yield|assert|constexpr|defer|go|select|match|loop|unless|until|when)\\b)';

const script: Syntax = {
  comments: C_COMMENTS,
  quotes: [quote('"'), quote("'"), quote('`', true)],
  nests: 'braces',
  declarations: [
    opens(/^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([\w$]+)/),
    opens(/^\s*(?:export\s+)?(?:declare\s+)?(?:namespace|module)\s+([\w$.]+)/),
    declares(/^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:interface|enum)\s+([\w$]+)/),
    declares(/^\s*(?:export\s+)?(?:declare\s+)?type\s+([\w$]+)(?:<[^=]*>)?\s*=/),
    declares(/^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)/),
    declares(
      /^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\b[^=]*=\s*(?:async\s*)?(?:function\b|\([^=]*=>|[\w$]+\s*=>|\($|<)/,
    ),
    {
      pattern: new RegExp(
        `^\\s*(?:(?:public|private|protected|static|override|readonly|async|get|set|abstract)\\s+)*\\*?\\s*(#?${NOT}[\\w$]+)\\s*(?:<[^()]*>)?\\((?:[^;{]*|[^;]*\\)[^;]*\\{.*)$`,
      ),
      opens: false,
      onlyWithin: true,
    },
  ],
  leads: C_LEADS,
};

/** `class Name {` and `Type name(…) {` in languages such as Java, C# and C++. */
const curly = (kinds: string, quotes: Syntax['quotes'] = [quote('"'), letter]): Syntax => ({
  comments: C_COMMENTS,
  quotes,
  nests: 'braces',
  declarations: [
    opens(
      new RegExp(
        `^\\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|partial|open|data|inner|inline|export|fileprivate|indirect|unsafe|readonly|template\\s*<[^>]*>|typedef|case|implicit|lazy|value|annotation)\\s+)*(?:${kinds})\\s+(?:class\\s+)?([\\w.]+(?:::\\w+)*)(?![^{;]*;)`,
      ),
    ),
    declares(new RegExp(`^\\s*(?:[\\w<>\\[\\],.?*&:~@]+\\s+){0,9}?[*&]{0,3}(~?${NOT}[A-Za-z_][\\w:~]*)\\s*\\([^;=]*$`)),
  ],
  leads: C_LEADS,
});

const keyword = (kinds: string, functions: string, extra: Partial<Syntax> = {}): Syntax => ({
  ...curly(kinds),
  declarations: [
    ...curly(kinds).declarations.slice(0, 1),
    declares(
      new RegExp(
        `^\\s*(?:[\\w@]+(?:\\([^)]*\\))?\\s+)*?(?:${functions})\\s+(?:<[^>]*>\\s*)?(?:\\([^)]*\\)\\s*)?([\\w.$]+)`,
      ),
    ),
  ],
  ...extra,
});

const hash: Pick<Syntax, 'comments' | 'quotes' | 'leads'> = {
  comments: [line('#')],
  quotes: [quote('"'), quote("'")],
  leads: /^\s*(?:#|@)/,
};

/** By file type. Languages missing here have no declarations that can be recognised this way. */
export const syntaxes: Readonly<Record<string, Syntax>> = {
  js: script,
  ts: script,
  java: curly('class|interface|enum|record|@interface'),
  cs: curly('class|interface|enum|record|struct|namespace'),
  c: curly('struct|union|enum'),
  cpp: curly('class|struct|union|enum|namespace'),
  kt: keyword('class|interface|object|enum', 'fun', { quotes: [quote('"""', true), quote('"'), quote("'")] }),
  scala: keyword('class|trait|object|enum', 'def', { quotes: [quote('"""', true), quote('"')] }),
  swift: keyword('class|struct|enum|protocol|extension|actor', 'func', { quotes: [quote('"""', true), quote('"')] }),
  php: keyword('class|interface|trait|enum|namespace', 'function', {
    comments: [...C_COMMENTS, line('#')],
  }),
  go: {
    comments: C_COMMENTS,
    quotes: [quote('"'), quote('`', true)],
    nests: 'braces',
    declarations: [declares(/^func\s+(?:\([^)]*\)\s*)?(\w+)/), declares(/^type\s+(\w+)/)],
    leads: C_LEADS,
  },
  rs: {
    comments: C_COMMENTS,
    quotes: [quote('"', true), letter],
    nests: 'braces',
    declarations: [
      opens(/^\s*(?:unsafe\s+)?impl\b(?:<[^{]*?>)?\s+(?:[\w:<>,' ]+\s+for\s+)?([\w:]+)/),
      opens(/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:mod|trait)\s+(\w+)(?!\s*;)/),
      declares(/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|union|type)\s+(\w+)/),
      declares(/^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*fn\s+(\w+)/),
      declares(/^\s*macro_rules!\s+(\w+)/),
    ],
    leads: C_LEADS,
  },
  py: {
    ...hash,
    quotes: [quote('"""', true), quote("'''", true), quote('"'), quote("'")],
    nests: 'indent',
    declarations: [opens(/^\s*class\s+(\w+)/), opens(/^\s*(?:async\s+)?def\s+(\w+)/)],
  },
  rb: {
    ...hash,
    nests: 'indent',
    declarations: [opens(/^\s*(?:class|module)\s+([\w:]+)/), declares(/^\s*def\s+([\w.?!=]+)/)],
  },
  lua: {
    comments: [{ begin: '--[[', end: ']]' }, line('--')],
    quotes: [quote('"'), quote("'")],
    nests: 'indent',
    declarations: [declares(/^\s*(?:local\s+)?function\s+([\w.:]+)/)],
    leads: /^\s*--/,
  },
  r: {
    ...hash,
    nests: 'braces',
    declarations: [declares(/^([\w.]+)\s*(?:<-|=)\s*function\b/)],
  },
  pl: { ...hash, nests: 'braces', declarations: [opens(/^\s*package\s+([\w:]+)/), declares(/^\s*sub\s+(\w+)/)] },
  sh: {
    ...hash,
    // Quotes are too often unbalanced across lines to be masked.
    quotes: [],
    nests: 'braces',
    declarations: [declares(/^\s*(?:function\s+)?([\w.:-]+)\s*\(\s*\)/), declares(/^\s*function\s+([\w.:-]+)/)],
  },
  sql: {
    comments: [block, line('--')],
    quotes: [quote("'", true)],
    nests: 'indent',
    declarations: [
      declares(
        /^\s*(?:create|alter)\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|unlogged)\s+)*(?:table|view|function|procedure|index|trigger|type|schema|sequence)\s+(?:if\s+(?:not\s+)?exists\s+)?["`[]?([\w.]+)/i,
      ),
    ],
    leads: /^\s*--/,
  },
};
