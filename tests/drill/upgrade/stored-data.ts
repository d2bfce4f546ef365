import { createHash } from 'node:crypto';
import { partialDeepStrictEqual } from 'node:assert/strict';
import { toError } from '@calls/foundation/errors';
import type { Stack } from '@calls/local-stack/stack';
import { Api } from '../../support/api.ts';
import { isSignedWith, WebhookReceiver } from '../../support/webhook-receiver.ts';
import { eventually } from '../../support/eventually.ts';

const SECRETS = ['a-secret-of-the-customer'];
const SCRIPT = 'good morning and welcome to the hotel by the sea';

/** URLs are signed with JOIN_TOKEN_SECRET or contain addresses of this installation; requests change when a key was used. */
const CHANGING_FIELDS = ['joinUrl', 'previewUrl', 'lastUsed'];

/** The response of the API for a path before the upgrade. */
export interface Snapshot {
  path: string;
  body: unknown;
}

/** Data of every kind, stored through the API of the previous release and read by the new release. */
export class StoredData implements AsyncDisposable {
  readonly #stack: Stack;
  readonly #api: Api;
  readonly #receiver: WebhookReceiver;
  readonly #snapshots: Snapshot[] = [];
  #recorded = { callId: '', hash: '' };
  #agentId = '';

  private constructor(stack: Stack, receiver: WebhookReceiver) {
    this.#stack = stack;
    this.#api = new Api(stack);
    this.#receiver = receiver;
  }

  static async create(stack: Stack): Promise<StoredData> {
    const data = new StoredData(stack, await WebhookReceiver.start());
    try {
      await data.#store();
    } catch (thrown) {
      await data[Symbol.asyncDispose]();
      throw thrown;
    }
    return data;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#receiver[Symbol.asyncDispose]();
  }

  get snapshots(): readonly Snapshot[] {
    return this.#snapshots;
  }

  /** The agent with a template that has sealed secrets. */
  get agentId(): string {
    return this.#agentId;
  }

  /** Differences from the responses of the previous release; empty if there are none. */
  async problems(): Promise<string[]> {
    const problems = await snapshotProblems(this.#api, this.#snapshots);
    const { callId, hash } = this.#recorded;
    if ((await this.#recordingHash(callId)) !== hash) problems.push(`the recording of ${callId} differs`);
    return problems;
  }

  /** Resolves when the webhook has reported the end of each call, with a valid signature. */
  async delivered(callIds: readonly string[]): Promise<void> {
    await eventually(() => {
      const reported = this.#receiver.received
        .filter((webhook) => isSignedWith(SECRETS, webhook))
        .map(({ body }) => body);
      const missing = callIds.filter((callId) => !reported.some((body) => body.includes(callId)));
      if (missing.length > 0) throw new Error(`no webhook reported the end of ${missing.join(', ')}`);
    });
  }

  async #store(): Promise<void> {
    await this.#make('/api/webhooks', { url: this.#receiver.url, secrets: SECRETS, events: ['call.ended'] });
    await this.#make('/api/api_keys', { name: 'of the previous release' });
    const tool = await this.#make('/api/tools', {
      name: 'openPage',
      definition: { modelToolName: 'openPage', description: 'Opens a page.', client: {} },
    });
    const voice = {
      url: 'https://example.com/speak',
      headers: { Authorization: 'x' },
      body: { text: '{text}' },
    };
    const definition = { generic: voice };
    const { voiceId } = await this.#make('/api/voices', { name: 'own', definition });
    await this.#make('/api/sip/trunks', { name: 'Line', username: 'desk', password: SECRETS[0] });
    await this.#send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: SECRETS[0] });
    const callTemplate = {
      systemPrompt: 'You are the receptionist of a small hotel.',
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      recordingEnabled: true,
      dataConnection: { websocketUrl: 'wss://data.example.com', headers: { Authorization: 'x' } },
    };
    const agent = await this.#make('/api/agents', { name: 'Ada', callTemplate });
    this.#agentId = String(agent['agentId']);
    const batches = `/api/agents/${this.#agentId}/scheduled_batches`;
    await this.#make(batches, { paused: true, calls: [{ metadata: { guest: '1' } }, {}] });
    const callId = await this.#endedCall();
    this.#recorded = { callId, hash: await this.#recordingHash(callId) };
    for (const path of [
      ...['webhooks', 'api_keys', 'agents', 'sip/trunks'].map((each) => `/api/${each}`),
      // Lists also contain public items, which differ between releases.
      ...[`/api/tools/${String(tool['toolId'])}`, `/api/voices/${String(voiceId)}`],
      ...['/api/accounts/me/tts_api_keys', batches, `/api/calls/${callId}`],
      ...['messages', 'stages', 'events'].map((each) => `/api/calls/${callId}/${each}`),
    ])
      this.#snapshots.push({ path, body: lastingFields(await read(this.#api, path)) });
  }

  async #endedCall(): Promise<string> {
    const firstSpeakerSettings = { agent: { text: SCRIPT } };
    const { call, client } = await this.#api.startCall({ recordingEnabled: true, firstSpeakerSettings });
    await client.until('the greeting', () => client.transcript.some(({ text }) => text.includes('sea')));
    await client.hangUp();
    const { callId } = await this.#api.endedCall(call.callId);
    await this.delivered([callId]);
    return callId;
  }

  async #recordingHash(callId: string): Promise<string> {
    const response = await fetch(`${this.#stack.apiUrl}/api/calls/${callId}/recording`, {
      headers: { 'x-api-key': this.#stack.developmentKey },
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok) return `status ${response.status}`;
    return createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
  }

  #make(path: string, body: unknown): Promise<Record<string, unknown>> {
    return this.#send('POST', path, body);
  }

  #send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return send(this.#api, method, path, body);
  }
}

function lastingFields(body: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(body, (name, value: unknown) =>
    CHANGING_FIELDS.includes(name) ? undefined : value,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

/** Differences between the snapshots and the current responses of the API. */
export async function snapshotProblems(api: Api, snapshots: readonly Snapshot[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, body } of snapshots) {
    try {
      // A new release may add fields.
      partialDeepStrictEqual(await read(api, path), body);
    } catch (thrown) {
      problems.push(`GET ${path}: ${toError(thrown).message}`);
    }
  }
  return problems;
}

function read(api: Api, path: string): Promise<Record<string, unknown>> {
  return send(api, 'GET', path);
}

async function send(
  api: Api,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await api.request<Record<string, unknown>>(method, path, body);
  if (response.status >= 300)
    throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body;
}
