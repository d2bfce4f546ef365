import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { authorization, endpointUrl } from '../../http/endpoint.ts';
import { EventStreamReader } from '../../http/event-stream.ts';
import { HttpExchange, type Deadline } from '../../http/exchange.ts';
import type { HostedLlmOptions } from '../llm-vendor.ts';
import { ResponseDeadlines } from './response-deadlines.ts';
import { ModelResponse } from './model-response.ts';
import { confidentialTexts } from './confidential.ts';
import { chatCompletionBody } from './request-body.ts';

/** Adapter name for errors. */
const PROVIDER = 'openai-compatible-llm';

/** Streamed chat completions of any server with OpenAI's protocol (vLLM, Ollama, llama.cpp, hosted). */
export function createOpenAiCompatibleLanguageModel(options: HostedLlmOptions): LanguageModel {
  return {
    acceptsAudio: () => options.acceptsAudio,
    respond: (request, signal) => respond(options, request, signal),
  };
}

async function* respond(
  options: HostedLlmOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  signal.throwIfAborted();
  const { endpoint, limits, clock } = options;
  const confidential = (): string[] => [endpoint.apiKey ?? '', ...confidentialTexts(request.messages)];
  const waiting = new ResponseDeadlines(clock, limits);
  const exchange = new HttpExchange(options, {
    provider: PROVIDER,
    url: endpointUrl(endpoint, '/chat/completions'),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...authorization(endpoint) },
    body: [chatCompletionBody({ ...options, provider: PROVIDER }, request)],
    get confidential() {
      return confidential();
    },
    connectTimeoutMs: limits.connectTimeoutMs,
    signal,
  });
  const response = new ModelResponse(PROVIDER, {
    limits,
    toolsOffered: (request.tools?.length ?? 0) > 0,
    confidential,
  });
  const events = new EventStreamReader();
  try {
    await waiting.during((deadline) => eventStreamOf(exchange, deadline));
    while (!response.complete) {
      const bytes = await readUnlessFinished(response, () =>
        waiting.during((deadline) => exchange.read(deadline)),
      );
      const data = bytes === null ? events.end() : pushBytes(events, bytes);
      for (const text of response.take(data)) {
        yield { type: 'text', text };
        signal.throwIfAborted();
      }
      if (response.hasThought) waiting.thinking();
      if (response.begun) waiting.begun();
      if (response.finished) waiting.finished();
      for (const call of response.takeToolCalls()) {
        yield { type: 'tool_call', call };
        signal.throwIfAborted();
      }
      if (bytes === null) break;
    }
    response.assertWhole();
    if (response.usage) yield response.usage;
  } finally {
    // A completed response ends soon; an abandoned one may continue for a long time.
    if (response.done) exchange.release();
    else exchange.close();
  }
}

/** After the finish reason, neither silence nor a lost connection is an error. */
async function readUnlessFinished(
  response: ModelResponse,
  read: () => Promise<Buffer | null>,
): Promise<Buffer | null> {
  try {
    return await read();
  } catch (thrown) {
    if (response.finished && thrown instanceof ProviderError) return null;
    throw thrown;
  }
}

function pushBytes(events: EventStreamReader, bytes: Uint8Array): string[] {
  try {
    return events.push(bytes);
  } catch (cause) {
    throw new ProviderError(PROVIDER, 'malformed', 'an event is too long', { cause });
  }
}

/** Awaits the headers of an event stream. */
async function eventStreamOf(exchange: HttpExchange, deadline: Deadline): Promise<void> {
  const { 'content-type': contentType = '' } = await exchange.head(deadline);
  if (/json|html/i.test(contentType))
    throw await exchange.unexpected('the response is not an event stream', deadline);
}
