import { wordErrorRate } from '@calls/foundation/word-error-rate';
import type { Api } from './api.ts';
import { eventually } from './eventually.ts';

/**
 * Maximum number of times that a person asks. On a busy machine phone audio may have gaps, and the person then repeats
 * the question.
 */
const MAX_QUESTIONS = 3;
const MAX_ERROR_RATE = 0.5;

/** Returns the stored messages of the user. */
export async function saidBy(api: Api, callId: string): Promise<string[]> {
  const messages = await api.messages(callId);
  return messages.flatMap(({ role, text }) => (role === 'MESSAGE_ROLE_USER' ? [text ?? ''] : []));
}

/** Repeats a question of a person until it is transcribed. The agent must be silent before. */
export async function askUntilUnderstood(
  api: Api,
  callId: string,
  {
    question,
    ask,
    quiet,
  }: {
    question: string;
    /** Says the question. Resolves to a function that waits for the response to it. */
    ask: () => Promise<() => Promise<unknown>>;
    /** Waits until the agent is silent. */
    quiet: () => Promise<unknown>;
  },
): Promise<void> {
  /** Number of utterances without recognized words. */
  const dismissals = async (): Promise<number> =>
    (await api.events(callId)).filter(({ type }) => type === 'speech_dismissed').length;
  const understoodAs: string[] = [];
  while (understoodAs.length < MAX_QUESTIONS) {
    const [before, dismissedBefore] = [(await saidBy(api, callId)).length, await dismissals()];
    const responded = await ask();
    const said = await eventually(async () => {
      const messages = (await saidBy(api, callId)).slice(before);
      const isDismissed = (await dismissals()) > dismissedBefore;
      if (messages.length === 0 && !isDismissed) {
        const seen = (await api.events(callId)).map(({ type, text, extras }) => ({ type, text, extras }));
        throw new Error(`the question is not transcribed yet: ${JSON.stringify(seen)}`);
      }
      return messages.join(' ');
    });
    if (said !== '') await responded();
    if (wordErrorRate(question, said) <= MAX_ERROR_RATE) return;
    understoodAs.push(said);
    await quiet();
  }
  throw new Error(`the question was understood as ${JSON.stringify(understoodAs)}`);
}
