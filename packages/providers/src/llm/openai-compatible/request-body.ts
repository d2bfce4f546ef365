import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { createHash } from 'node:crypto';
import { encodeWav } from '@calls/audio/wav';
import type { ModelMessage, ModelRequest, ModelToolCall, UserPart } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { isJsonObject } from '@calls/foundation/json-object';
import { parsedJson } from '../json-text.ts';
import { inStrictOrder } from './strict-order.ts';

/**
 * Gemini 3 rejects tool calls in the history if the first one lacks its signature, which is not stored. This value
 * disables the check.
 */
const UNSIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

export interface ChatModel {
  /** Adapter name for errors. */
  provider: string;
  /** The model's name on the server. */
  model: string;
  acceptsAudio: boolean;
  /** Fields to add to the body; null removes one. Those that the adapter needs cannot be replaced. */
  extraBody: Readonly<Record<string, unknown>>;
}

/**
 * The body of `POST /chat/completions`. Throws `unavailable` for an audio-only message to a model without audio input.
 */
export function chatCompletionBody(to: ChatModel, request: ModelRequest): Buffer {
  const { messages, temperature, tools = [] } = request;
  const body = {
    temperature,
    stream_options: { include_usage: true },
    ...to.extraBody,
    model: to.model,
    messages: inStrictOrder(messages, to.model).map((message) => chatMessage(message, to)),
    // Servers reject an empty list.
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: tool })) : null,
    stream: true,
  };
  const given = Object.entries(body).filter(([, value]) => value !== null);
  return Buffer.from(JSON.stringify(Object.fromEntries(given)));
}

function chatMessage(message: ModelMessage, to: ChatModel): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message.content, to) };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: toolCalls.map((call, index) => ({
          ...chatToolCall(call),
          ...(index === 0 && /gemini/iu.test(to.model) && UNSIGNED),
        })),
      };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: wireId(message.toolCallId), content: message.content };
  }
}

function userContent(content: string | readonly UserPart[], to: ChatModel): string | object[] {
  if (typeof content === 'string') return content;
  const usable = to.acceptsAudio ? content : content.filter((part) => part.type === 'text');
  if (usable.length === 0 && content.length > 0) {
    throw new ProviderError(
      to.provider,
      'unavailable',
      'the model does not support audio input, and the message has no text',
    );
  }
  return usable.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'input_audio', input_audio: { data: base64Wav(part.samples), format: 'wav' } },
  );
}

function base64Wav(samples: Int16Array): string {
  const { buffer, byteOffset, byteLength } = encodeWav(samples, SPEECH_RATE_HZ);
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/**
 * Servers parse the arguments of earlier calls and reject text that is not a JSON object, which models sometimes write.
 */
function chatToolCall({ id, name, arguments: written }: ModelToolCall): object {
  const args = isJsonObject(parsedJson(written)) ? written : JSON.stringify({ unreadable: written });
  return { id: wireId(id), type: 'function', function: { name, arguments: args } };
}

/** Mistral's API and the chat templates of its models reject ids other than nine letters and digits. */
function wireId(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}
