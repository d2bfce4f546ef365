import type { ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import type { TransferOutcome, TransferReport } from '../transfer/warm-transfer-machine.ts';
import { toolFailed, toolSucceeded, type ToolOutcome } from './tool-outcome.ts';

/** Results for the model, except for transfers after which the user talked with the person. */
const NOT_CONNECTED: Readonly<Record<Exclude<TransferOutcome, 'person_left' | 'talk_limit'>, string>> = {
  busy: 'the line of the person is busy',
  declined: 'the person declined the call',
  no_answer: 'the person did not answer',
  unreachable: 'the person could not be reached',
  refused: 'the call to the person was not placed',
  not_accepted: 'the person answered but did not take the call',
  abandoned: 'the person hung up before taking the call',
  call_ended: 'the call ended',
};

const BACK = 'The user is with you again.';

/** The result of a transfer; a text if it could not begin. */
export function warmTransferOutcome(
  report: TransferReport | string,
  parameters: Readonly<Record<string, unknown>>,
  reaction: ToolReaction,
): ToolOutcome {
  if (typeof report === 'string') return toolFailed(report, reaction);
  const { outcome, talkedMs, detail } = report;
  if (outcome === 'person_left' || outcome === 'talk_limit') {
    const seconds = Math.round(talkedMs / 1000);
    const talked = `The user and the person talked for ${seconds} s; your messages since then are what the person said.`;
    if (outcome === 'person_left' && parameters['when_person_leaves'] === 'end_call') {
      return {
        ...toolSucceeded(`${talked} The call ends.`, 'listens'),
        action: { kind: 'hang_up', unlessAnswered: false },
      };
    }
    const reason = outcome === 'person_left' ? 'The person hung up.' : 'The time limit was reached.';
    return {
      ...toolSucceeded(`${talked} ${reason} ${BACK}`, 'speaks'),
      action: { kind: 'user_returns' },
    };
  }
  const message = parameters['no_answer_message'];
  const request = typeof message === 'string' && message !== '' ? ` Say to the user: ${message}` : '';
  const failure = toolFailed(`${NOT_CONNECTED[outcome]}. ${BACK}${request}`, 'speaks', {
    details: `the warm transfer ended with ${outcome}${detail === null ? '' : `: ${detail}`}`,
  });
  return { ...failure, action: { kind: 'user_returns' } };
}
