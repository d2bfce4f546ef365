import { BUILT_IN_TOOL_NAMES, type BuiltInToolName } from '@calls/api-contract/built-in-tool-names';
import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import {
  WARM_TRANSFER_DEFAULTS,
  WARM_TRANSFER_REQUEST,
  WARM_TRANSFER_SETTINGS,
} from '@calls/api-contract/rest/warm-transfer';
import { nameBasedId } from '@calls/foundation/ids';
import type { PublicTool } from '@calls/store/tables/tools';

/** Namespace for the ids of built-in tools, which are derived from their names and never change. */
const TOOL_NAMESPACE = '0c8a4f0e-5d0b-4a3c-9a51-6d0f1f6a2b7d';

const QUERY_CORPUS_SETTINGS = {
  every_turn: {
    type: 'boolean',
    description:
      'Searches for the words of every user turn, without a call by the model, which can still search for other words.',
  },
};

const body = { location: 'PARAMETER_LOCATION_BODY' } as const;

/**
 * Tools that the service itself runs: their definitions set no implementation (`http`, `client` or `dataConnection`).
 */
const DEFINITIONS: Readonly<Record<BuiltInToolName, BaseToolDefinition>> = {
  hangUp: {
    description:
      'Ends the call. Use it when the conversation has come to its end: the user said goodbye, asked to hang up, or nothing is left to do. Say goodbye first.',
    dynamicParameters: [
      {
        ...body,
        name: 'reason',
        schema: { type: 'string', description: 'Why the call ends, in a few words.' },
      },
    ],
    staticParameters: [{ ...body, name: 'strict', value: true }],
  },
  queryCorpus: {
    description:
      'Looks up passages in the knowledge base. Use it for every question whose answer may be there, and base the answer on what it finds.',
    dynamicParameters: [
      { ...body, name: 'corpus_id', schema: { type: 'string', format: 'uuid' }, required: true },
      {
        ...body,
        name: 'query',
        schema: {
          type: 'string',
          minLength: 1,
          description: 'What to look for, in a short specific phrase.',
        },
        required: true,
      },
      {
        ...body,
        name: 'max_results',
        schema: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          default: 5,
          description: 'How many passages at most.',
        },
      },
    ],
    staticParameters: [{ ...body, name: 'every_turn', value: false }],
    requirements: { requiredParameterOverrides: ['corpus_id'] },
    precomputable: true,
  },
  playDtmfSounds: {
    description:
      'Presses telephone keys, to work an automated telephone menu. Waits until the prompt of the menu is over.',
    dynamicParameters: [
      {
        ...body,
        name: 'digits',
        schema: {
          type: 'string',
          pattern: '^[wW,]{0,20}[0-9*#A-D][0-9*#A-DwW,]{0,63}$',
          maxLength: 64,
          description:
            'The keys: 0 to 9, *, #, A to D. Pauses between them: w for 0.5 s, W for 1 s, a comma for 2 s.',
        },
        required: true,
      },
      {
        ...body,
        name: 'silence_ms',
        schema: {
          type: 'integer',
          minimum: 0,
          maximum: 5000,
          description:
            'Waits until the other side has been silent for this many milliseconds, but no longer than 20 s. Needed only to press keys earlier or later than at the end of a prompt.',
        },
      },
    ],
  },
  waitForPrompt: {
    description:
      'Listens to an automated telephone menu without speaking. Use it as soon as a machine reads a menu or asks to wait. You get a turn when its prompt is over.',
    dynamicParameters: [
      {
        ...body,
        name: 'options',
        schema: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 100 },
          maxItems: 20,
          description: 'Words to wait for. You get a turn as soon as one of them was said.',
        },
      },
    ],
  },
  leaveVoicemail: {
    description:
      'Leaves a message on a voicemail and ends the call. Use it when an answering machine took the call.',
    dynamicParameters: [
      {
        ...body,
        name: 'message',
        schema: { type: 'string', minLength: 1, description: 'The whole message, as it is to be spoken.' },
        required: true,
      },
    ],
  },
  coldTransfer: {
    description: 'Hands the call over to a person and leaves it.',
    dynamicParameters: [
      {
        ...body,
        name: 'target',
        schema: {
          type: 'string',
          minLength: 1,
          description: 'Target of the transfer: a phone number in E.164 form or a SIP URI.',
        },
        required: true,
      },
    ],
  },
  warmTransfer: {
    description:
      'Calls a person, tells them what the call is about and connects the user with them. Meanwhile the user is on hold. Tell the user first. The result says whether the person took the call.',
    dynamicParameters: Object.entries(WARM_TRANSFER_REQUEST).map(([name, schema]) => ({
      ...body,
      name,
      schema: { ...schema },
      required: true,
    })),
    staticParameters: Object.keys(WARM_TRANSFER_SETTINGS).map((name) => ({
      ...body,
      name,
      value: Object.entries(WARM_TRANSFER_DEFAULTS).find(([each]) => each === name)?.[1] ?? null,
    })),
  },
};

/** The schema of a static parameter of a built-in tool. */
export function settingSchemaOf(name: string, value: unknown): unknown {
  const settings: Readonly<Record<string, unknown>> = { ...WARM_TRANSFER_SETTINGS, ...QUERY_CORPUS_SETTINGS };
  return settings[name] ?? { type: typeof value };
}

/** The public tools, which each account can use. */
export const BUILT_IN_TOOLS: readonly PublicTool[] = Object.entries(DEFINITIONS).map(
  ([name, definition]) => ({
    toolId: nameBasedId(name, TOOL_NAMESPACE),
    name,
    definition: { modelToolName: name, ...definition },
  }),
);

/** The name of the built-in tool with this id; null for other tools. */
export function builtInToolName(toolId: string | null): BuiltInToolName | null {
  const name = BUILT_IN_TOOLS.find((tool) => tool.toolId === toolId)?.name;
  return BUILT_IN_TOOL_NAMES.find((each) => each === name) ?? null;
}
