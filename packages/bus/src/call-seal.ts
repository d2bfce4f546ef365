import { hkdfSync } from 'node:crypto';
import {
  CREATED_CALL_SECRETS,
  STAGE_ANSWER_SECRETS,
  STAGE_QUESTION_SECRETS,
  type CreatedCall,
  type StageAnswer,
  type StageQuestion,
} from '@calls/api-contract';
import { createSecretBox, openPaths, sealPaths, type PathPatterns } from '@calls/secret-box';

/** Messages with their secrets sealed on the way from who sends them to who uses them. */
export interface Seal<Message> {
  /** As it is sent and kept in streams. */
  seal(message: Message): Message;
  /** The way back. Throws a SecretBoxError where a secret was sealed with another JOIN_TOKEN_SECRET, or for another place. */
  open(message: Message): Message;
}

/** Of created calls. */
export type CallSeal = Seal<CreatedCall>;

/** Of what a new stage is asked for with, and of the answer to that. */
export interface StageSeals {
  questions: Seal<StageQuestion>;
  answersTo(question: Pick<StageQuestion, 'callId' | 'stageId'>): Seal<StageAnswer>;
}

/** Services with the same JOIN_TOKEN_SECRET open what any of them sealed. */
export function createCallSeal(joinTokenSecret: string): CallSeal {
  const sealOf = sealsOf(joinTokenSecret, 'secrets of created calls');
  return sealOf(CREATED_CALL_SECRETS, ({ spec }) => `call:${spec.callId}`);
}

export function createStageSeals(joinTokenSecret: string): StageSeals {
  const sealOf = sealsOf(joinTokenSecret, 'secrets of new stages');
  const placeOf = ({ callId, stageId }: Pick<StageQuestion, 'callId' | 'stageId'>): string =>
    `${callId}:${stageId}`;
  return {
    questions: sealOf(STAGE_QUESTION_SECRETS, (question) => `question:${placeOf(question)}`),
    answersTo: (question) => sealOf(STAGE_ANSWER_SECRETS, () => `answer:${placeOf(question)}`),
  };
}

function sealsOf(joinTokenSecret: string, purpose: string) {
  const key = hkdfSync('sha256', joinTokenSecret, 'calls', purpose, 32);
  const box = createSecretBox([Buffer.from(key).toString('base64url')]);
  /** `placeOf`: what a message is sealed for; it opens nowhere else. */
  return <Message>(secrets: PathPatterns, placeOf: (message: Message) => string): Seal<Message> => ({
    seal: (message) => sealPaths(message, secrets, (plain) => box.seal(plain, placeOf(message))),
    open: (message) => openPaths(message, secrets, (sealed) => box.open(sealed, placeOf(message))),
  });
}
