import type { BuiltInToolName } from '@calls/api-contract/call-spec';
import type { ToolReaction } from '@calls/api-contract/data-messages/tool-results';
import { dtmfTones } from '@calls/audio/dtmf-tones';
import type { Clock } from '@calls/foundation/clock';
import { withTimeout } from '@calls/foundation/timeout';
import type { CorpusQueries } from '../ports/tools.ts';
import { toolSucceeded, toolFailed, type ToolOutcome } from './tool-outcome.ts';
import { transferTarget } from './transfer-target.ts';

export interface BuiltInContext {
  accountId: string;
  outputSampleRateHz: number;
  /** False while the agent answers in text. */
  hasVoiceOutput: boolean;
  /** The medium can connect the call with somebody else. */
  canTransfer: boolean;
  corpora: CorpusQueries;
  clock: Clock;
  timeoutMs: number;
  reaction: ToolReaction;
  signal: AbortSignal;
}

const DEFAULT_PASSAGES = 5;

/** `parameters` fit the tool's definition. */
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
        consequence: { kind: 'last_words', text },
      };
    }
    case 'playDtmfSounds': {
      const digits = String(parameters['digits']);
      if (!context.hasVoiceOutput)
        return toolFailed('nothing can be played while the agent answers in text', reaction);
      return {
        ...toolSucceeded(`The tones of ${digits} are played.`, 'listens'),
        sound: dtmfTones(digits, context.outputSampleRateHz),
      };
    }
    case 'queryCorpus':
      return toolSucceeded(await passages(parameters, context), reaction);
    case 'coldTransfer':
      return context.canTransfer
        ? coldTransfer(String(parameters['target']), reaction)
        : toolFailed('a call over this medium can not be transferred', reaction);
  }
}

function coldTransfer(target: string, reaction: ToolReaction): ToolOutcome {
  const transferTo = transferTarget(target);
  if (transferTo === null) {
    return toolFailed(
      'target must be a phone number like +15550100 or a SIP URI like sip:desk@example.com',
      reaction,
    );
  }
  return {
    ...toolSucceeded(`The call is handed over to ${transferTo}.`, 'listens'),
    consequence: { kind: 'hang_up', unlessAnswered: false, transferTo },
  };
}

/** As JSON, for the model. */
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
    'the corpus',
  );
  return JSON.stringify(found);
}
