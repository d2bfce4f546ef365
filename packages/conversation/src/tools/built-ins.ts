import type { BuiltInToolName } from '@calls/api-contract/call-spec';
import type { ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import { dtmfTones } from '@calls/audio/dtmf-tones';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { CorpusQueries } from '../ports/tools.ts';
import { toolSucceeded, toolFailed, type ToolOutcome } from './tool-outcome.ts';

export interface BuiltInContext {
  accountId: string;
  outputSampleRateHz: number;
  /** False while the agent responds in text. */
  hasVoiceOutput: boolean;
  /** Whether the medium supports transfers. */
  canTransfer: boolean;
  /** See CallContext. */
  transfer: ((target: string) => Promise<boolean>) | null;
  /** See CallContext. */
  sendDigits: ((digits: string) => boolean) | null;
  corpora: CorpusQueries;
  clock: Clock;
  timeoutMs: number;
  reaction: ToolReaction;
  signal: AbortSignal;
}

const DEFAULT_PASSAGES = 5;

/** Runs a built-in tool. `parameters` match the tool's definition. */
export async function runBuiltIn(
  name: BuiltInToolName,
  parameters: Readonly<Record<string, unknown>>,
  context: BuiltInContext,
): Promise<ToolOutcome> {
  const { reaction } = context;
  switch (name) {
    case 'hangUp': {
      const unlessAnswered = parameters['strict'] === false;
      return {
        ...toolSucceeded('The call ends.', 'listens'),
        consequence: { kind: 'hang_up', unlessAnswered },
      };
    }
    case 'leaveVoicemail': {
      const text = String(parameters['message']);
      return {
        ...toolSucceeded('The message is left and the call ends.', 'listens'),
        consequence: { kind: 'final_message', text },
      };
    }
    case 'playDtmfSounds': {
      const digits = String(parameters['digits']);
      if (context.sendDigits?.(digits)) return toolSucceeded(`The digits ${digits} were sent.`, 'listens');
      if (!context.hasVoiceOutput)
        return toolFailed('tones cannot be played while the agent responds in text', reaction);
      return {
        ...toolSucceeded(`The tones of ${digits} are played.`, 'listens'),
        sound: dtmfTones(digits, context.outputSampleRateHz),
      };
    }
    case 'queryCorpus':
      return toolSucceeded(await passages(parameters, context), reaction);
    case 'coldTransfer':
      return context.canTransfer
        ? coldTransfer(String(parameters['target']), context)
        : toolFailed('calls over this medium cannot be transferred', reaction);
  }
}

async function coldTransfer(
  target: string,
  { transfer, reaction }: Pick<BuiltInContext, 'transfer' | 'reaction'>,
): Promise<ToolOutcome> {
  const transferTo = transferTarget(target);
  if (transferTo === null) {
    return toolFailed(
      'target must be a phone number like +15550100 or a SIP URI like sip:desk@example.com',
      reaction,
    );
  }
  if (transfer && !(await transfer(transferTo))) {
    return toolFailed(`the transfer to ${transferTo} was refused or not answered`, reaction);
  }
  return {
    ...toolSucceeded(`The call is handed over to ${transferTo}.`, 'listens'),
    consequence: { kind: 'hang_up', unlessAnswered: false, transferTo },
  };
}

/** Returns the passages as JSON for the model. */
async function passages(
  parameters: Readonly<Record<string, unknown>>,
  { accountId, corpora, clock, timeoutMs, signal }: BuiltInContext,
): Promise<string> {
  const maxResults = parameters['max_results'];
  const found = await withTimeout(
    clock,
    corpora.query(
      {
        accountId,
        corpusId: String(parameters['corpus_id']),
        query: String(parameters['query']),
        maxResults: typeof maxResults === 'number' ? maxResults : DEFAULT_PASSAGES,
      },
      signal,
    ),
    timeoutMs,
    'corpus query',
  );
  return JSON.stringify(found);
}

/** Limit of the `ended` call log entry. */
const MAX_CHARS = 256;
/** Separators in written phone numbers. */
const SEPARATORS = /[\s().-]/gu;
/** E.164 with an optional +, or a short code. */
const PHONE_NUMBER = /^\+?[1-9]\d{2,14}$/u;
/** User, host, port and parameters; no headers. */
const SIP_URI =
  /^sips?:(?:[\w.!~*'()%&=+$,;?/:-]+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:;[\w.!~*'()%+$=:[\]/-]+)*$/iu;

/** Normalizes a transfer target: a phone number or a SIP URI. Null if it is neither. */
export function transferTarget(text: string): string | null {
  const given = text.trim();
  if (given.length > MAX_CHARS) return null;
  if (SIP_URI.test(given)) return given;
  const number = given.replace(SEPARATORS, '');
  return PHONE_NUMBER.test(number) ? number : null;
}
