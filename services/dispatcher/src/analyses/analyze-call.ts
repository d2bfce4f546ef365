import {
  overallOutcome,
  type AnalysisSettings,
  type CallAnalysis,
} from '@calls/api-contract/rest/call-analysis';
import type { CallNotifications } from '@calls/call-lifecycle/notifications/call-notifications';
import type { LanguageModel, ModelMessage } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { JobContext } from '@calls/redis/queues/jobs';
import type { Database } from '@calls/store/store';
import { completeAnalysis, isAnalysisPending, type AnalysisRun } from '@calls/store/tables/call-analyses';
import { findAnyCall, type CallRow } from '@calls/store/tables/calls';
import type { ChecksOf, UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { transcriptOfCall } from '../summaries/transcript.ts';
import { analysisPrompt, correctionPrompt } from './analysis-prompt.ts';
import { readAnalysis, type AnalysisResult } from './read-analysis.ts';

export interface AnalysisDeps {
  db: Database;
  languageModel: LanguageModel;
  /** Whether a model is a script, which cannot read a conversation. */
  isScript: (model: string) => boolean;
  checksOf: ChecksOf;
  notifications: Pick<CallNotifications, 'analyzed'>;
  clock: Clock;
  log: Logger;
}

/** Maximum length of an answer: a model that repeats itself must not fill the memory. */
const MAX_RESPONSE_CHARACTERS = 65_536;

const TOO_SLOW = 'The language model took too long to answer.';

type Outcome = AnalysisResult | { failureReason: string };

/**
 * Analyzes a call and stores the result, or why there is none. Does nothing if the request is completed. Rejects if another
 * attempt may succeed.
 */
export async function analyzeCall(
  deps: AnalysisDeps,
  run: AnalysisRun,
  { signal, isLastAttempt }: Pick<JobContext, 'signal' | 'isLastAttempt'>,
): Promise<void> {
  const { db, log, clock, notifications } = deps;
  if (!(await isAnalysisPending(db, run))) return;
  const call = await findAnyCall(db, run.callId);
  if (!call?.analysis) return;
  const outcome = await outcomeOf(deps, call, signal).catch((thrown: unknown) => {
    const isFinal = isLastAttempt || (thrown instanceof AppError && !thrown.retryable);
    if (!isFinal) throw thrown;
    log.warn({ callId: run.callId, err: toError(thrown) }, 'call analysis failed');
    return { failureReason: signal.aborted ? TOO_SLOW : failureReason(thrown) };
  });
  const completed = new Date(clock.wallMs()).toISOString();
  const analysis = withOutcome({ ...call.analysis, completed }, outcome);
  await db.transaction().execute(async (tx) => {
    if (await completeAnalysis(tx, run, analysis)) await notifications.analyzed(tx, run.callId);
  });
}

async function outcomeOf(deps: AnalysisDeps, call: CallRow, signal: AbortSignal): Promise<Outcome> {
  const { analysisSettings, model } = call.settings;
  if (!analysisSettings) return { failureReason: 'The call has no analysisSettings.' };
  const transcript = await transcriptOfCall(deps.db, call.call_id, { withTools: true });
  if (transcript === null) return { failureReason: 'The user said nothing.' };
  if (deps.isScript(model)) {
    return {
      failureReason: `The model ${model} is an embedded script, which cannot analyze calls. Configure a language model.`,
    };
  }
  const checks = deps.checksOf(call.account_id);
  return promptModel({ ...deps, checks, model, signal }, analysisSettings, transcript);
}

/** Asks once more if the first answer cannot be used. */
async function promptModel(
  deps: { languageModel: LanguageModel; checks: UntrustedChecks; model: string; signal: AbortSignal },
  settings: AnalysisSettings,
  transcript: string,
): Promise<Outcome> {
  const question: ModelMessage = { role: 'user', content: analysisPrompt(settings, transcript) };
  const first = await textOf(deps, [question]);
  const result = await readAnalysis(first, settings, deps.checks);
  if (!('problem' in result)) return result;
  const correction: ModelMessage[] = [
    question,
    { role: 'assistant', content: first },
    { role: 'user', content: correctionPrompt(result.problem) },
  ];
  const corrected = await readAnalysis(await textOf(deps, correction), settings, deps.checks);
  if (!('problem' in corrected)) return corrected;
  return { failureReason: `The model gave no usable answer: ${corrected.problem}.` };
}

async function textOf(
  { languageModel, model, signal }: { languageModel: LanguageModel; model: string; signal: AbortSignal },
  messages: readonly ModelMessage[],
): Promise<string> {
  let text = '';
  for await (const chunk of languageModel.respond({ model, temperature: 0, messages }, signal)) {
    if (chunk.type === 'text') text += chunk.text;
    if (text.length > MAX_RESPONSE_CHARACTERS) break;
  }
  return text.slice(0, MAX_RESPONSE_CHARACTERS);
}

function withOutcome(analysis: CallAnalysis, outcome: Outcome): CallAnalysis {
  if ('failureReason' in outcome) {
    return { ...analysis, status: 'failed', failureReason: outcome.failureReason };
  }
  const { data, criteria } = outcome;
  return { ...analysis, ...(data && { data }), status: 'done', criteria, outcome: overallOutcome(criteria) };
}

/** Omits addresses of servers, which belong to the operator. */
function failureReason(thrown: unknown): string {
  if (thrown instanceof ProviderError) return `The language model failed: ${thrown.kind}.`;
  return 'The analysis could not be completed.';
}
