import { mapMarked } from '@calls/api-contract/marks';
import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { TEMPLATED_MARK } from '@calls/foundation/schema/keywords';
import { shortened } from '@calls/foundation/shortened';

/** A part of a templated text: literal text, or the path of a variable. */
type Part = string | { readonly path: readonly string[] };

export type ParsedText = { readonly parts: readonly Part[] } | { readonly issue: string };

const MAX_NAME_CHARACTERS = 256;
/** Length limit of a text in an issue. */
const MAX_QUOTED_CHARACTERS = 40;
const VARIABLE = /^[\p{L}\p{M}\p{N}_$-]+(?:\.[\p{L}\p{M}\p{N}_$-]+)*$/u;

const REFUSED_TAGS: readonly (readonly [sigils: string, what: string])[] = [
  ['#^/', 'sections'],
  ['>', 'partials'],
  ['=', 'other delimiters'],
];

/** Mustache limited to variables and comments: `{{name}}`, `{{a.b}}`, `{{{name}}}`, `{{&name}}`, `{{! note }}`. */
export function parseText(text: string): ParsedText {
  const parts: Part[] = [];
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    const isTriple = text[open + 2] === '{';
    const close = isTriple ? '}}}' : '}}';
    const from = open + close.length;
    const end = text.indexOf(close, from);
    if (end === -1) return { issue: `has a "${text.slice(open, from)}" without a "${close}"` };
    const tag = readTag(text.slice(from, end).trim(), isTriple);
    if (typeof tag === 'string') return { issue: tag };
    if (open > at) parts.push(text.slice(at, open));
    if (tag) parts.push(tag);
    at = end + close.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return { parts };
}

/** Number of tags in the text, at most `most`. */
export function countTags(text: string, most: number): number {
  let found = 0;
  for (let open = text.indexOf('{{'); open !== -1 && found < most; open = text.indexOf('{{', open + 2)) {
    found += 1;
  }
  return found;
}

/** The variable, null for a comment, or the issue with the tag. */
function readTag(content: string, isTriple: boolean): { path: string[] } | string | null {
  const [sigil = ''] = content;
  if (!isTriple && sigil === '!') return null;
  const refused = REFUSED_TAGS.find(([sigils]) => sigil !== '' && sigils.includes(sigil));
  if (refused)
    return `must not have ${refused[1]}, as in "{{${shortened(content, MAX_QUOTED_CHARACTERS)}}}": variables only`;
  const name = !isTriple && sigil === '&' ? content.slice(1).trim() : content;
  const path = name.split('.');
  if (name.length > MAX_NAME_CHARACTERS || !VARIABLE.test(name) || path.includes('__proto__')) {
    return `must not have "{{${shortened(content, MAX_QUOTED_CHARACTERS)}}}": the name of a variable is letters, digits, "_", "-" and "$", with dots between its parts`;
  }
  return { path };
}

/** Paths of the variables in a text, in order; empty if it cannot be parsed. */
export function variablesOf(text: string): (readonly string[])[] {
  const parsed = parseText(text);
  return 'issue' in parsed
    ? []
    : parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.path]));
}

/**
 * The text with its variables filled in; values are not rendered again. Null if it gets longer than `maxCharacters`. The text must
 * be parseable.
 */
export function renderText(text: string, context: unknown, maxCharacters: number): string | null {
  const parsed = parseText(text);
  if ('issue' in parsed) throw new Error(`a template that was stored ${parsed.issue}`);
  let rendered = '';
  for (const part of parsed.parts) {
    rendered += typeof part === 'string' ? part : shown(valueAt(context, part.path));
    if (rendered.length > maxCharacters) return null;
  }
  return rendered;
}

function valueAt(context: unknown, path: readonly string[]): unknown {
  let value = context;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Missing and null values are rendered as empty text, other values as JSON. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A copy of a call template with what `map` returns for each text that can hold variables; `path` is dotted. Takes any value. */
export function mapTemplatedTexts<T>(template: T, map: (text: string, path: string) => string): T {
  return mapMarked(CallTemplate.Request, TEMPLATED_MARK, template, map);
}
