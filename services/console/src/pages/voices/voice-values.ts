import type { Issue } from '../../api/api-problem.ts';
import type { FieldKind, VoiceField } from './voice-options.ts';

/** Form values: one text per field; empty if unset. Flags are `true` and `false`. */
export type VoiceValues = Readonly<Record<string, string>>;

/** Converts form values to API settings, with the issues of invalid fields (paths as in the form). */
export function settingsOf(
  fields: readonly VoiceField[],
  values: VoiceValues,
): { settings: Record<string, unknown>; issues: Issue[] } {
  const settings: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const { path, kind } of fields) {
    const text = (values[path] ?? '').trim();
    if (text === '') continue;
    try {
      put(settings, path, parse(kind, text));
    } catch (thrown) {
      issues.push({ path, message: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return { settings, issues };
}

/** Converts API settings to form values. */
export function valuesOf(
  fields: readonly VoiceField[],
  settings: Readonly<Record<string, unknown>>,
): VoiceValues {
  return Object.fromEntries(
    fields.flatMap(({ path, kind }) => {
      const value = at(settings, path);
      return value === undefined ? [] : [[path, show(kind, value)]];
    }),
  );
}

function parse(kind: FieldKind, text: string): unknown {
  switch (kind) {
    case 'number':
    case 'integer':
      return numberOf(text, kind);
    case 'flag':
      return text === 'true';
    case 'list':
      return text
        .split(/[\n,]/u)
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'pairs':
      return pairsOf(text);
    case 'json':
      return jsonOf(text);
    default:
      return text;
  }
}

function show(kind: FieldKind, value: unknown): string {
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'list' && Array.isArray(value)) return value.join(', ');
  if (kind === 'pairs') {
    return Object.entries(value as Record<string, string>)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n');
  }
  return String(value);
}

function numberOf(text: string, kind: 'number' | 'integer'): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error('must be a number');
  if (kind === 'integer' && !Number.isInteger(value)) throw new Error('must be a whole number');
  return value;
}

function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        if (colon <= 0) throw new Error(`“${line.trim()}” must have the form “Name: value”`);
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`is not valid JSON: ${thrown instanceof Error ? thrown.message : ''}`, { cause: thrown });
  }
}

function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const [first = path, second] = path.split('.');
  if (second === undefined) into[first] = value;
  else into[first] = { ...(into[first] as object | undefined), [second]: value };
}

function at(settings: Readonly<Record<string, unknown>>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      settings,
    );
}
