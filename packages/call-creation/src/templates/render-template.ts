import { compileUntrustedSchema, type CallTemplate, type Fault } from '@calls/api-contract';
import { deriveContextSchema } from './context-schema.ts';
import { templatedTexts } from './template-faults.ts';
import { renderText } from './template-text.ts';
import { mapTemplatedTexts } from './templated-texts.ts';

export type TemplateContext = Readonly<Record<string, unknown>>;

/** Of all texts of a template together, filled in. */
const MAX_RENDERED_CHARACTERS = 1024 * 1024;

/** Tells of contexts what keeps each from filling this template, with paths from `templateContext`. */
export function contextRules(template: CallTemplate): (context: TemplateContext) => Fault[] {
  const schema =
    template.contextSchema ??
    deriveContextSchema(templatedTexts(template).flatMap(({ variables }) => variables));
  const validator = compileUntrustedSchema('templateContext', schema);
  return (context) =>
    validator.faults(context).map(({ path, message }) => ({
      path: path === '' ? 'templateContext' : `templateContext.${path}`,
      message,
    }));
}

/** What keeps the context from filling this template. */
export function contextFaults(template: CallTemplate, context: TemplateContext): Fault[] {
  return contextRules(template)(context);
}

/** The template with every variable filled in, once. The context must fit it. */
export function renderTemplate(
  template: CallTemplate,
  context: TemplateContext,
): { template: CallTemplate } | { faults: Fault[] } {
  const faults: Fault[] = [];
  let left = MAX_RENDERED_CHARACTERS;
  const rendered = mapTemplatedTexts(template, (text, path) => {
    if (left < 0) return text;
    const filled = renderText(text, context, left);
    if (filled === null) faults.push({ path, message: 'is too long with its variables filled in' });
    left = filled === null ? -1 : left - filled.length;
    return filled ?? text;
  });
  return faults.length > 0 ? { faults } : { template: rendered };
}
