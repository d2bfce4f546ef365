import type { Schemas } from '../../api/client.ts';

/** The API's type of a template to store. */
export type Template = Schemas['CallTemplateRequest'];

/** The distinct variables of a text, in order: `{{user.name}}`. */
export function variablesOf(text: string): string[] {
  const found = [...text.matchAll(/\{\{\{?&?\s*([\w.-]+)\s*\}?\}\}/gu)].map(([, name]) => name ?? '');
  return [...new Set(found)];
}

const READ_ONLY = new Set(['created', 'updated']);

/** A template that can be sent again: without its timestamps. */
export function editable(template: Schemas['CallTemplate'] | null): Template {
  return Object.fromEntries(Object.entries(template ?? {}).filter(([name]) => !READ_ONLY.has(name)));
}
