import type { Schemas } from '../../api/client.ts';

/** As the API takes it; the form, the JSON view and what is sent are this one value. */
export type Template = Schemas['CallTemplateRequest'];

type Json = Record<string, unknown> | unknown[];

/** What is at a dotted path, `inactivityMessages.0.duration`; undefined where there is nothing. */
export function valueAt(template: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, key) => (isJson(value) ? childOf(value, key) : undefined), template);
}

/** A copy with that value at the path; undefined takes the field away. Objects on the way are made where they are missing. */
export function withValueAt(template: Template, path: string, value: unknown): Template {
  return changed(template, path.split('.'), value) as Template;
}

function changed(at: unknown, [key = '', ...rest]: readonly string[], value: unknown): Json {
  const base = isJson(at) ? at : {};
  const next = rest.length === 0 ? value : changed(childOf(base, key), rest, value);
  if (Array.isArray(base)) {
    return next === undefined
      ? base.filter((_, index) => index !== Number(key))
      : Object.assign([...base], { [key]: next });
  }
  if (next !== undefined) return { ...base, [key]: next };
  return Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
}

function childOf(value: Json, key: string): unknown {
  return Array.isArray(value) ? value[Number(key)] : value[key];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** The variables of a template's texts, each once, in order: `{{user.name}}`. */
export function variablesOf(text: string): string[] {
  const found = [...text.matchAll(/\{\{\{?&?\s*([\w.-]+)\s*\}?\}\}/gu)].map(([, name]) => name ?? '');
  return [...new Set(found)];
}

const READ_ONLY = new Set(['created', 'updated']);

/** What can be sent again of what was answered: without its times. */
export function editable(template: Schemas['CallTemplate'] | null): Template {
  return Object.fromEntries(Object.entries(template ?? {}).filter(([name]) => !READ_ONLY.has(name)));
}
