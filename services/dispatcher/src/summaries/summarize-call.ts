import type { LanguageModel } from '@calls/engine-ports/language-model';
import { AppError } from '@calls/foundation/errors';
import type { Database } from '@calls/store/store';
import { findAnyCall, storeSummary } from '@calls/store/tables/calls';
import { transcriptOfCall } from './transcript.ts';

const MAX_SUMMARY_CHARACTERS = 4000;

const SHORT = 'Summarize this call in one sentence. Write nothing but the sentence.';
const LONG =
  'Summarize this call in a paragraph: what the user wanted, what was said and agreed, and how it ended. Write nothing else.';

/** Writes both summaries of a call. Does nothing if the call has them, no longer exists, or has no user message. */
export async function summarizeCall(
  deps: { db: Database; languageModel: LanguageModel },
  callId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, languageModel } = deps;
  const call = await findAnyCall(db, callId);
  if (call?.summary !== null) return;
  const transcript = await transcriptOfCall(db, callId);
  if (transcript === null) return;
  const promptModel = async (instruction: string): Promise<string> => {
    let text = '';
    const request = {
      model: call.settings.model,
      temperature: 0,
      messages: [
        { role: 'user' as const, content: `${instruction}\n\nTranscript of the call:\n${transcript}` },
      ],
    };
    for await (const chunk of languageModel.respond(request, signal)) {
      if (chunk.type === 'text') text += chunk.text;
      if (text.length > MAX_SUMMARY_CHARACTERS) break;
    }
    const summary = text.slice(0, MAX_SUMMARY_CHARACTERS).trim();
    if (summary === '')
      throw new AppError('empty_summary', 'the model returned no text', { retryable: true });
    return summary;
  };
  const shortSummary = await promptModel(SHORT);
  const summary = await promptModel(LONG);
  await storeSummary(db, callId, { shortSummary, summary });
}
