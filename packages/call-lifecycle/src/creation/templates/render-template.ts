import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { deriveContextSchema } from './context-schema.ts';
import { templatedTexts } from './template-issues.ts';
import { mapTemplatedTexts, renderText } from './template-text.ts';

export type TemplateContext = Readonly<Record<string, unknown>>;

/** Limit on all rendered texts of a template together. */
const MAX_RENDERED_CHARACTERS = 1024 * 1024;

/** Issues of each context for this template, with paths from `templateContext`. */
export async function contextIssues(
  template: CallTemplate,
  contexts: readonly TemplateContext[],
  checks: UntrustedChecks,
): Promise<Issue[][]> {
  const variables = templatedTexts(template).flatMap((text) => text.variables);
  // Any object is a valid context, so the other process is not needed.
  if (!template.contextSchema && variables.length === 0) return contexts.map(() => []);
  const schema = template.contextSchema ?? deriveContextSchema(variables);
  const issues = await checks.valueIssues(schema, contexts);
  return issues.map((found) =>
    found.map(({ path, message }) => ({
      path: path === '' ? 'templateContext' : `templateContext.${path}`,
      message,
    })),
  );
}

/** The template with all variables filled in, once. The context must be valid. */
export function renderTemplate(
  template: CallTemplate,
  context: TemplateContext,
): { template: CallTemplate } | { issues: Issue[] } {
  const issues: Issue[] = [];
  let left = MAX_RENDERED_CHARACTERS;
  const rendered = mapTemplatedTexts(template, (text, path) => {
    if (left < 0) return text;
    const filled = renderText(text, context, left);
    if (filled === null) issues.push({ path, message: 'is too long with its variables filled in' });
    left = filled === null ? -1 : left - filled.length;
    return filled ?? text;
  });
  return issues.length > 0 ? { issues } : { template: rendered };
}
