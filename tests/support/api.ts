import type { Call } from '@calls/api-contract/rest/call';
import type { CallEvent } from '@calls/api-contract/rest/call-records';
import type { Page } from '@calls/api-contract/rest/common';
import type { Message } from '@calls/api-contract/rest/message';
import { CallClient } from '@calls/examples/call-client';
import type { Stack } from '@calls/local-stack/stack';
import { eventually } from './eventually.ts';

export interface ApiResponse<T> {
  status: number;
  body: T;
  headers: Headers;
}

/** REST API client for the development account of a stack. */
export class Api {
  readonly #stack: Pick<Stack, 'apiUrl' | 'developmentKey'>;

  constructor(stack: Pick<Stack, 'apiUrl' | 'developmentKey'>) {
    this.#stack = stack;
  }

  async request<T>(method: string, path: string, body?: unknown): Promise<ApiResponse<T>> {
    const response = await fetch(new URL(path, this.#stack.apiUrl), {
      method,
      headers: { 'x-api-key': this.#stack.developmentKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, body: (text === '' ? null : JSON.parse(text)) as T };
  }

  /** Creates a call over a server WebSocket. Throws if the status is not 201. */
  async createCall(settings: Record<string, unknown> = {}, sampleRateHz = 16_000): Promise<Call> {
    const { status, body } = await this.request<Call>('POST', '/api/calls', {
      systemPrompt: 'You are Ada, the receptionist of a hotel.',
      medium: { serverWebSocket: { inputSampleRate: sampleRateHz } },
      ...settings,
    });
    if (status !== 201) throw new Error(`POST /api/calls responded with ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** Creates a call and joins it. */
  async startCall(
    settings: Record<string, unknown> = {},
    client: { sampleRateHz?: number; keepAudio?: boolean } = {},
  ): Promise<{ call: Call; client: CallClient }> {
    const { sampleRateHz = 16_000, keepAudio = true } = client;
    const call = await this.createCall(settings, sampleRateHz);
    return { call, client: await this.join(call, sampleRateHz, keepAudio) };
  }

  join(call: Call, sampleRateHz = 16_000, keepAudio = true): Promise<CallClient> {
    return CallClient.connect({
      joinUrl: call.joinUrl ?? '',
      inputSampleRateHz: sampleRateHz,
      outputSampleRateHz: sampleRateHz,
      keepAudio,
    });
  }

  async call(callId: string): Promise<Call> {
    return (await this.request<Call>('GET', `/api/calls/${callId}`)).body;
  }

  /** Waits until the call has ended and is billed. */
  endedCall(callId: string): Promise<Call> {
    return eventually(async () => {
      const call = await this.call(callId);
      if (call.ended === null || call.billingStatus === 'BILLING_STATUS_PENDING')
        throw new Error('not billed yet');
      return call;
    });
  }

  messages(callId: string): Promise<Message[]> {
    return this.#list(`/api/calls/${callId}/messages?pageSize=100`);
  }

  events(callId: string, minimumSeverity = 'debug'): Promise<CallEvent[]> {
    return this.#list(`/api/calls/${callId}/events?pageSize=100&minimum_severity=${minimumSeverity}`);
  }

  /** Waits until the call has this number of events of the type. Returns the details of the last one. */
  noted(callId: string, type: string, count = 1): Promise<CallEvent['extras']> {
    return eventually(async () => {
      const events = (await this.events(callId)).filter((each) => each.type === type);
      if (events.length < count) throw new Error(`${events.length} of ${count} ${type}`);
      return events.at(-1)?.extras ?? null;
    });
  }

  /** Reads all pages of a list. */
  async #list<T>(firstPage: string): Promise<T[]> {
    const items: T[] = [];
    for (let path: string | null = firstPage; path !== null;) {
      const { status, body }: ApiResponse<Page<T>> = await this.request('GET', path);
      if (status !== 200) throw new Error(`GET ${path} responded with ${status}: ${JSON.stringify(body)}`);
      items.push(...body.results);
      path = body.next;
    }
    return items;
  }
}
