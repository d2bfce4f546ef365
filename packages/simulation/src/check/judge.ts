import type { ModelTool } from '@calls/engine-ports/language-model';
import { toError } from '@calls/foundation/errors';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import type { CallRecord } from '../call/call-record.ts';
import type { CallerModel } from '../call/persona.ts';
import type { Finding } from './checks.ts';

const Verdict = Closed({
  verdicts: Type.Array(Closed({ isTrue: Type.Boolean(), reason: Type.String() })),
});
const verdict = compileValidator('verdict', Verdict);

const REPORT: ModelTool = {
  name: 'report',
  description: 'Reports for each statement, in order, whether it is true of the conversation, and why.',
  parameters: { ...Verdict },
};

/** Asks a model whether the statements are true. Throws if it does not say so for each. */
export async function judge(
  statements: readonly string[],
  { lines }: CallRecord,
  { name, languageModel }: CallerModel,
): Promise<Finding[]> {
  const conversation = lines.map(
    ({ who, toolName, text }) => `${toolName === null ? who : `${who} ${toolName}`}: ${text}`,
  );
  const content = [
    'Here is a conversation between a caller and an agent:',
    ...conversation,
    '',
    'Judge each of these statements by the conversation alone, and call the tool report:',
    ...statements.map((statement, index) => `${index + 1}. ${statement}`),
  ].join('\n');
  const request = {
    model: name,
    messages: [{ role: 'user' as const, content }],
    temperature: 0,
    tools: [REPORT],
  };
  let written = '';
  for await (const chunk of languageModel.respond(request, new AbortController().signal))
    if (chunk.type === 'tool_call') written = chunk.call.arguments;
  const verdicts = verdictsIn(written);
  if (verdicts.length !== statements.length)
    throw new Error(`the judge reported ${verdicts.length} verdicts for ${statements.length} statements`);
  return verdicts.flatMap(({ isTrue, reason }, index) =>
    isTrue ? [] : [{ path: `expect.judge.${index}`, message: `"${statements[index] ?? ''}": ${reason}` }],
  );
}

function verdictsIn(written: string): Static<typeof Verdict>['verdicts'] {
  if (written === '') throw new Error('the judge did not call the tool report');
  try {
    return verdict.parse(JSON.parse(written)).verdicts;
  } catch (thrown) {
    throw new Error(`the verdicts of the judge cannot be read: ${toError(thrown).message}`, {
      cause: thrown,
    });
  }
}
