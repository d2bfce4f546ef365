import { isUuid } from '@calls/foundation/schema/objects';
import { exampleIds } from '../operations/examples/example-values.ts';
import type { JsonSchema } from './component-schemas.ts';

interface PathParameter {
  readonly description: string;
  readonly example: string | number;
  readonly schema: JsonSchema;
  /** Whether a text has the format of the parameter. */
  fits(text: string): boolean;
}

const uuid = (description: string, example: string): PathParameter => ({
  description,
  example,
  schema: { type: 'string', format: 'uuid' },
  fits: isUuid,
});

const PARAMETERS: Readonly<Record<string, PathParameter>> = {
  account_id: uuid('Id of the account.', exampleIds.account),
  agent_id: uuid('Id of the agent.', exampleIds.agent),
  api_key_prefix: {
    description: 'First 8 characters of the API key.',
    example: 'Ab3dE6gH',
    schema: { type: 'string', pattern: '^[A-Za-z0-9]{8}$' },
    fits: (text) => /^[A-Za-z0-9]{8}$/u.test(text),
  },
  batch_id: uuid('Id of the scheduled batch.', exampleIds.batch),
  call_id: uuid('Id of the call.', exampleIds.call),
  call_stage_id: uuid('Id of the stage.', exampleIds.stage),
  call_stage_message_index: {
    description: 'Index of the message in its stage, from 0.',
    example: 0,
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
    fits: (text) => /^\d{1,9}$/u.test(text),
  },
  corpus_id: uuid('Id of the corpus.', exampleIds.corpus),
  delivery_id: uuid('Id of the delivery.', exampleIds.delivery),
  document_id: uuid('Id of the document.', exampleIds.document),
  invitation_id: uuid('Id of the invitation.', exampleIds.invitation),
  registration_id: uuid('Id of the registration.', exampleIds.registration),
  revision_id: uuid('Id of the revision.', exampleIds.revision),
  source_id: uuid('Id of the source.', exampleIds.source),
  test_run_id: uuid('Id of the test run.', exampleIds.testRun),
  throttle_id: uuid('Id of the call throttle.', exampleIds.throttle),
  tool_id: uuid('Id of the tool.', exampleIds.tool),
  trunk_id: uuid('Id of the SIP trunk.', exampleIds.trunk),
  voice_id: uuid('Id of the voice.', exampleIds.voice),
  webhook_id: uuid('Id of the webhook.', exampleIds.webhook),
};

/** The definition of a path parameter, by name. */
export function pathParameterForm(name: string): PathParameter {
  const parameter = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (!parameter) throw new Error(`unknown path parameter: ${name}`);
  return parameter;
}
