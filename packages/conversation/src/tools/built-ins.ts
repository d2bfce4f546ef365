import type { BuiltInToolName } from '@calls/api-contract/built-in-tool-names';
import { withTimeout } from '@calls/foundation/clock';
import type { BuiltInContext } from './built-in-context.ts';
import { pressKeys } from './phone-keys.ts';
import { toolSucceeded, toolFailed, type ToolOutcome } from './tool-outcome.ts';
import { NO_TARGET, transferTarget } from './transfer-target.ts';
import { warmTransferOutcome } from './warm-transfer-outcome.ts';

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
        // Another tool of the round can transfer the call instead.
        ...toolSucceeded(
          `The call ends unless ${unlessAnswered ? 'the user speaks' : 'it is transferred'}.`,
          'listens',
        ),
        action: { kind: 'hang_up', unlessAnswered },
      };
    }
    case 'leaveVoicemail': {
      const text = String(parameters['message']);
      return {
        ...toolSucceeded('The message is left and the call ends.', 'listens'),
        action: { kind: 'final_message', text },
      };
    }
    case 'playDtmfSounds':
      return pressKeys(parameters, context);
    case 'waitForPrompt':
      context.waitForPrompt(strings(parameters['options']));
      return toolSucceeded('You get a turn when the prompt is over.', 'listens');
    case 'queryCorpus':
      return queryCorpus(parameters, context);
    case 'coldTransfer':
      return context.canTransfer
        ? coldTransfer(String(parameters['target']), context)
        : toolFailed('calls over this medium cannot be transferred', reaction);
    case 'warmTransfer':
      return context.hasVoiceOutput
        ? warmTransferOutcome(await context.warmTransfer(parameters), parameters, reaction)
        : toolFailed('the user cannot be transferred while the agent responds in text', reaction);
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

async function coldTransfer(
  target: string,
  { transfer, reaction }: Pick<BuiltInContext, 'transfer' | 'reaction'>,
): Promise<ToolOutcome> {
  const transferTo = transferTarget(target);
  if (transferTo === null) {
    return toolFailed(NO_TARGET, reaction);
  }
  if (transfer && !(await transfer(transferTo))) {
    return toolFailed(`the transfer to ${transferTo} was refused or not answered`, reaction);
  }
  return {
    ...toolSucceeded(`The call is handed over to ${transferTo}.`, 'listens'),
    action: { kind: 'hang_up', unlessAnswered: false, transferTo },
  };
}

/** The result is the passages as JSON for the model. */
async function queryCorpus(
  parameters: Readonly<Record<string, unknown>>,
  { accountId, corpora, clock, timeoutMs, signal, reaction }: BuiltInContext,
): Promise<ToolOutcome> {
  const corpusId = String(parameters['corpus_id']);
  const query = String(parameters['query']);
  const maxResults = numberOr(parameters['max_results'], DEFAULT_PASSAGES);
  const startedMs = clock.nowMs();
  const found = corpora.query({ accountId, corpusId, query, maxResults }, signal);
  const passages = await withTimeout(clock, found, timeoutMs, 'corpus query');
  const durationMs = Math.round(clock.nowMs() - startedMs);
  const retrieval = { corpusId, query, passages, durationMs };
  return { ...toolSucceeded(JSON.stringify(passages), reaction), retrieval };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
