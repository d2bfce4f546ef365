import { Closed } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { CallSpec } from '../call-spec.ts';
import { Message } from '../rest/message.ts';

/** The order in which media-workers take created calls. */
export const ADMISSION_CLASSES = ['priority', 'standard', 'lowest_cost'] as const;
export type AdmissionClass = (typeof ADMISSION_CLASSES)[number];

/** On `calls.created.<admission class>`, a work queue: exactly one media-worker takes each. */
export const CreatedCall = Closed({
  admissionClass: Type.Enum([...ADMISSION_CLASSES]),
  spec: CallSpec,
  /** The messages that `hideMessages` removed from the spec. */
  sealedMessages: Type.Optional(Type.String()),
  /** The `traceparent` of the request that created the call. The worker that runs the call continues this trace. */
  trace: Type.Optional(Type.String({ maxLength: 128 })),
});
export type CreatedCall = Static<typeof CreatedCall>;

export const createdCallValidator = compileValidator('created call', CreatedCall);

export function createdCallSubject(admissionClass: AdmissionClass): string {
  return `calls.created.${admissionClass}`;
}

const messagesValidator = compileValidator('sealed messages', Type.Array(Message));

/** Seals the messages of a zero-data-retention call, so that the bus never stores them in plain text. */
export function hideMessages(call: CreatedCall, seal: (plain: string) => string): CreatedCall {
  const { spec } = call;
  const { initialMessages } = spec.firstStage;
  if (spec.retention !== 'zdr' || initialMessages.length === 0) return call;
  return { ...withMessages(call, []), sealedMessages: seal(JSON.stringify(initialMessages)) };
}

/** The inverse of `hideMessages`. */
export function showMessages(
  { sealedMessages, ...call }: CreatedCall,
  open: (sealed: string) => string,
): CreatedCall {
  if (sealedMessages === undefined) return call;
  return withMessages(call, messagesValidator.parse(JSON.parse(open(sealedMessages))));
}

function withMessages(call: CreatedCall, initialMessages: Message[]): CreatedCall {
  return {
    ...call,
    spec: { ...call.spec, firstStage: { ...call.spec.firstStage, initialMessages } },
  };
}
