import type { CallState } from '@calls/api-contract/call-spec';
import type { Message } from '@calls/api-contract/rest/message';
import type { CallToolDefinition } from '@calls/api-contract/rest/tool';

/** Values available to automatic parameters. */
export interface AutomaticParameterContext {
  callId: string;
  stageId: string;
  metadata: Readonly<Record<string, string>>;
  outputSampleRateHz: number;
  state: CallState;
  messages: readonly Message[];
}

type AutomaticParameters = NonNullable<CallToolDefinition['automaticParameters']>;

/** Returns the values of automatic parameters by name; those without a value are omitted. */
export function automaticParameterValues(
  parameters: AutomaticParameters,
  facts: AutomaticParameterContext,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, knownValue } of parameters) {
    const value = valueOf(knownValue, facts);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function valueOf(
  known: AutomaticParameters[number]['knownValue'],
  facts: AutomaticParameterContext,
): unknown {
  switch (known) {
    case 'KNOWN_PARAM_CALL_ID':
      return facts.callId;
    case 'KNOWN_PARAM_CONVERSATION_HISTORY':
      return facts.messages;
    case 'KNOWN_PARAM_OUTPUT_SAMPLE_RATE':
      return facts.outputSampleRateHz;
    case 'KNOWN_PARAM_CALL_STATE':
      return facts.state;
    case 'KNOWN_PARAM_CALL_STAGE_ID':
      return facts.stageId;
    // A call has one thread.
    case 'KNOWN_PARAM_THREAD_ID':
      return facts.callId;
    case 'KNOWN_PARAM_THREAD_STATES':
      return { [facts.callId]: facts.state };
    case 'KNOWN_PARAM_CALL_METADATA':
      return facts.metadata;
    default:
      return undefined;
  }
}
