import { Type, type Static, type TSchema } from 'typebox';
import { Closed } from '../rest/common.ts';
import { compileValidator, type Validator } from '../validation/validator.ts';

/** What keeps a question from being answered, in the terms of an AppError. */
const Failure = Closed({
  code: Type.String({ maxLength: 100 }),
  message: Type.String(),
  retryable: Type.Boolean(),
});

export type ExchangeReply<Answer> = { answer: Answer } | { failure: Static<typeof Failure> };

/**
 * A kind of question that media workers ask control-planes by request and reply: any one of them answers. Asking twice has
 * no more effect than asking once.
 */
export interface Exchange<Question, Answer> {
  /** In messages of errors. */
  name: string;
  subject: string;
  /** How long one control-plane may take. */
  limitMs: number;
  question: Validator<Question>;
  reply: Validator<ExchangeReply<Answer>>;
}

export function defineExchange<Q extends TSchema, A extends TSchema>(
  exchange: { name: string; subject: string; limitMs: number },
  question: Q,
  answer: A,
): Exchange<Static<Q>, Static<A>> {
  const { name } = exchange;
  const reply: Validator<unknown> = compileValidator(
    `reply to ${name}`,
    Type.Union([Closed({ answer }), Closed({ failure: Failure })]),
  );
  return {
    ...exchange,
    question: compileValidator(name, question),
    reply: reply as Validator<ExchangeReply<Static<A>>>,
  };
}
