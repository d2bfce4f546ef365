import type { AnyOperation } from '@calls/api-contract/operations/operation';
import type { TestAccount } from '../control-plane-harness.ts';

type Made = Record<string, unknown>;

/** Creates the resources for the parameters of an API path. */
export class World {
  readonly account: TestAccount;
  #made = 0;

  constructor(account: TestAccount) {
    this.account = account;
  }

  /** Returns the path of the operation with ids of existing resources. */
  async pathOf(operation: AnyOperation): Promise<string> {
    let path: string = operation.path;
    for (const [parameter, name = ''] of operation.path.matchAll(/\{(\w+)\}/gu)) {
      const before = path.slice(0, path.indexOf(parameter));
      path = path.replace(parameter, await this.#make(name, before));
    }
    return path;
  }

  agentId(): Promise<string> {
    return this.#make('agent_id', '/api/agents/');
  }

  /** Id of a provider1 voice. The account has the provider key. */
  async providerVoice(): Promise<string> {
    await this.account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: 'a-key-of-provider1' });
    const definition = { provider1: { voiceId: 'v1' } };
    return this.#post('/api/voices', { name: this.name(), definition }, 'voiceId');
  }

  /** Id of an uploaded document of the corpus that is not in any source. */
  async uploadedDocument(corpusPath: string): Promise<string> {
    const mimeType = 'text/plain';
    const { body } = await this.account.post<Made>(`${corpusPath}/uploads`, { mimeType });
    const put = await fetch(String(body['presignedUrl']), {
      method: 'PUT',
      headers: { 'Content-Type': mimeType },
      body: 'We open at nine.',
    });
    if (!put.ok) throw new Error(`the upload responded with ${put.status}: ${await put.text()}`);
    return String(body['documentId']);
  }

  toolName(): string {
    return this.name().replaceAll(' ', '_');
  }

  /** A body of POST /api/test_runs. */
  async testRun(): Promise<Record<string, unknown>> {
    const agentId = await this.#make('agent_id', '/api/agents/');
    return { agentId, scenarios: [{ name: 'greets', caller: { script: [{ say: 'Hello.' }] } }] };
  }

  async revision(): Promise<{ agentId: string; revisionId: string }> {
    const agentId = await this.#make('agent_id', '/api/agents/');
    return { agentId, revisionId: await this.#make('revision_id', `/api/agents/${agentId}/revisions/`) };
  }

  /** A unique name. */
  name(): string {
    this.#made += 1;
    return `made ${this.#made}`;
  }

  /** `before`: the path up to the parameter, with ids. */
  async #make(parameter: string, before: string): Promise<string> {
    const name = this.name();
    switch (parameter) {
      case 'throttle_id':
        return this.#post(before, { name, rules: [{ maxCalls: 1, windowSeconds: 1 }] }, 'throttleId');
      case 'test_run_id':
        return this.#post(before, await this.testRun(), 'testRunId');
      case 'api_key_prefix':
        return this.#post(before, { name }, 'prefix');
      case 'invitation_id':
        return this.#post(before, { name }, 'invitationId');
      case 'webhook_id':
        return this.#post(before, { url: 'https://example.com/', events: ['call.ended'] }, 'webhookId');
      case 'agent_id':
        return this.#post(before, { name, callTemplate: { medium: SERVER_WEB_SOCKET } }, 'agentId');
      case 'tool_id':
        return this.#post(before, { name: this.toolName(), definition: CLIENT_TOOL }, 'toolId');
      case 'voice_id':
        return this.#post(before, { name, definition: GENERIC_VOICE }, 'voiceId');
      case 'corpus_id':
        return this.#post(before, { name }, 'corpusId');
      case 'source_id':
        return this.#post(before, { name, crawl: { startUrls: ['https://example.com/'] } }, 'sourceId');
      case 'registration_id':
        return this.#post(
          before,
          { username: this.toolName(), password: 'a password', proxy: 'sip.example.com' },
          'registrationId',
        );
      case 'trunk_id':
        return this.#post(before, { name }, 'trunkId');
      case 'batch_id':
        return this.#post(before, { paused: true, calls: [{}] }, 'batchId');
      case 'call_id':
        return this.#post('/api/calls/', { medium: SERVER_WEB_SOCKET }, 'callId');
      case 'call_stage_id': {
        const { results } = await this.account.list<{ callStageId: string }>(before.replace(/\/$/u, ''));
        return results[0]!.callStageId;
      }
      case 'revision_id': {
        const { results } = await this.account.list<{ revisionId: string }>(before.replace(/\/$/u, ''));
        return results[0]!.revisionId;
      }
      case 'call_stage_message_index':
        return '0';
      case 'delivery_id': {
        const hook = { url: 'https://example.com/', events: ['call.started'] };
        const webhookId = await this.#post('/api/webhooks', hook, 'webhookId');
        await this.#make('call_id', '');
        const list = `/api/webhook_deliveries?webhookId=${webhookId}`;
        const { results } = await this.account.list<{ deliveryId: string }>(list);
        return results[0]!.deliveryId;
      }
      case 'document_id':
        return '0190a000-0000-7000-8000-000000000000';
      default:
        throw new Error(`no resource is defined for {${parameter}}`);
    }
  }

  async #post(collection: string, body: Made, idField: string): Promise<string> {
    const path = collection.replace(/\/$/u, '');
    const response = await this.account.post<Made>(path, body);
    const id = response.body[idField];
    if (response.status === 201 && typeof id === 'string') return id;
    throw new Error(`POST ${path} responded with ${response.status}: ${JSON.stringify(response.body)}`);
  }
}

export const SERVER_WEB_SOCKET = { serverWebSocket: { inputSampleRate: 16_000 } };
export const CLIENT_TOOL = { description: 'Opens a page.', client: {} };
export const HTTP_TOOL = {
  modelToolName: 'lookUp',
  description: 'Looks a booking up.',
  dynamicParameters: [
    {
      name: 'number',
      location: 'PARAMETER_LOCATION_PATH',
      schema: { type: 'string', minLength: 1 },
      required: true,
    },
    { name: 'language', location: 'PARAMETER_LOCATION_QUERY', schema: { type: 'string' }, required: false },
  ],
  staticParameters: [{ name: 'X-Version', location: 'PARAMETER_LOCATION_HEADER', value: '2' }],
  automaticParameters: [
    { name: 'call', location: 'PARAMETER_LOCATION_BODY', knownValue: 'KNOWN_PARAM_CALL_ID' },
  ],
  requirements: {
    httpSecurityOptions: {
      options: [
        {
          requirements: { key: { headerApiKey: { name: 'X-Key' } } },
          svcCallTokenRequirement: { scopes: ['calls:read'] },
        },
      ],
    },
    requiredParameterOverrides: ['language'],
  },
  timeout: '5s',
  precomputable: true,
  defaultReaction: 'AGENT_REACTION_SPEAKS',
  staticResponse: { responseText: 'Done.' },
  http: { baseUrlPattern: 'https://example.com/bookings/{number}', httpMethod: 'POST' },
};
export const GENERIC_VOICE = { generic: { url: 'https://example.com/speak', body: { text: '{text}' } } };
