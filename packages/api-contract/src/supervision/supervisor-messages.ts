import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';
import type { ServerMessage } from '../data-messages/server-messages.ts';
import type { SupervisionMode } from '../rest/supervision.ts';

/** Maximum length of an instruction, in UTF-16 code units. */
export const MAX_INSTRUCTION_LENGTH = 4000;

const Instruction = Type.String({ minLength: 1, maxLength: MAX_INSTRUCTION_LENGTH });

/** Messages of a supervisor, one schema per `type`; one JSON object per text frame. */
const schemas = {
  /** An instruction to the agent. `respond` (true): the agent responds as soon as the floor is free. */
  whisper: Closed({
    type: Type.Literal('whisper'),
    text: Instruction,
    respond: Type.Optional(Type.Boolean()),
  }),
  /** From now on, the supervisor's audio reaches the user, and the agent only listens. */
  take_over: Closed({ type: Type.Literal('take_over') }),
  /** The agent continues, with this instruction if any. */
  hand_back: Closed({ type: Type.Literal('hand_back'), instruction: Type.Optional(Instruction) }),
  ping: Closed({ type: Type.Literal('ping'), timestamp: Type.Number() }),
} as const satisfies Record<string, TSchema>;
export type SupervisorMessage = {
  [K in keyof typeof schemas]: Static<(typeof schemas)[K]>;
}[keyof typeof schemas];

const validators: ReadonlyMap<string, Validator<SupervisorMessage>> = new Map(
  Object.entries(schemas).map(([type, schema]) => [type, compileValidator('supervisor message', schema)]),
);

/** `not_allowed`: the mode does not allow it. `ending`: the agent says its last words. `transferring`: a warm transfer is under way. */
export type RefusalReason =
  | 'malformed'
  | 'not_allowed'
  | 'already_taken_over'
  | 'not_taken_over'
  | 'ending'
  | 'transferring'
  | 'too_many';

/** Messages to a supervisor, one JSON object per text frame. */
export type SupervisionMessage =
  /** The first message. */
  | {
      type: 'supervision_started';
      callId: string;
      supervisorId: string;
      mode: SupervisionMode;
      sampleRate: number;
      channels: 1 | 2;
      /** The supervisor that has the call now; null if it is the agent. */
      takenOverBy: string | null;
    }
  | { type: 'call_taken_over'; supervisorId: string }
  | { type: 'call_handed_back'; supervisorId: string }
  /** A message had no effect. */
  | { type: 'refused'; message: string; reason: RefusalReason; detail: string }
  | { type: 'whisper_accepted' }
  /** Audio was dropped because the connection is too slow. */
  | { type: 'audio_dropped'; durationMs: number }
  | Extract<ServerMessage, { type: 'transcript' | 'state' | 'pong' }>;

export type ParsedSupervisorMessage =
  | { kind: 'message'; message: SupervisorMessage }
  | { kind: 'malformed'; type: string; detail: string };

/** Parses one text frame. Never throws. */
export function parseSupervisorMessage(text: string): ParsedSupervisorMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'malformed', type: '', detail: 'is not JSON' };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const validator = typeof type === 'string' ? validators.get(type) : undefined;
  if (typeof type !== 'string' || !validator) {
    const detail = `type must be one of ${[...validators.keys()].join(', ')}`;
    return { kind: 'malformed', type: typeof type === 'string' ? type.slice(0, 64) : '', detail };
  }
  const [issue] = validator.issues(value);
  if (issue) return { kind: 'malformed', type, detail: `${issue.path} ${issue.message}`.trim() };
  return { kind: 'message', message: value as SupervisorMessage };
}
