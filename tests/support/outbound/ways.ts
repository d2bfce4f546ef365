import type { Corpus, CorpusSource } from '@calls/api-contract/rest/corpus';
import type { CallTool, Tool } from '@calls/api-contract/rest/tool-resource';
import type { CallClient } from '@calls/examples/call-client';
import type { AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import type { Api } from '../api.ts';

/** A feature that sends requests to customer URLs. */
export interface Way {
  /** Must be valid in a host name. */
  readonly name: string;
  /** Whether the service follows redirects of the customer server. */
  readonly followsRedirects: boolean;
  /** Makes the service request each URL at least once. Resolves before the requests are complete. */
  use(urls: readonly string[]): Promise<void>;
}

interface OutboundTestDeps {
  api: Api;
  standIn: AiStandIn;
}

export function waysOf(deps: OutboundTestDeps): Way[] {
  const { api } = deps;
  const clients: CallClient[] = [];
  const eachCall = async (urls: readonly string[], settings: (url: string) => object): Promise<void> => {
    await Promise.all(
      urls.map(async (url) => {
        const { client } = await api.startCall({ ...settings(url) }, { keepAudio: false });
        clients.push(client);
      }),
    );
  };
  const reads = { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', firstSpeakerSettings: { user: {} } };
  const generic = (url: string) => ({ generic: { url, body: { text: '{text}' } } });
  return [
    { name: 'tool-test', followsRedirects: false, use: (urls) => testTools(deps, urls) },
    { name: 'mcp-server', followsRedirects: true, use: (urls) => listMcpTools(deps, urls) },
    { name: 'tool', followsRedirects: true, use: (urls) => callTools(deps, urls) },
    {
      name: 'data-connection',
      followsRedirects: false,
      use: (urls) =>
        eachCall(urls, (url) => ({
          ...reads,
          dataConnection: { websocketUrl: url.replace(/^http/u, 'ws') },
        })),
    },
    {
      name: 'background-clip',
      followsRedirects: true,
      use: (urls) => eachCall(urls, (url) => ({ ...reads, backgroundAudio: { audioClip: url } })),
    },
    {
      name: 'voice',
      followsRedirects: false,
      use: (urls) =>
        eachCall(urls, (url) => ({
          externalVoice: generic(url),
          firstSpeakerSettings: { agent: { text: 'Hello.' } },
        })),
    },
    {
      name: 'voice-preview',
      followsRedirects: false,
      use: async (urls) => {
        const definitions = urls.map(generic);
        // The number of concurrent previews per account is limited.
        for (const definition of definitions) {
          await made(api.request('POST', '/api/voice_preview', { name: 'own', definition }), 400);
        }
      },
    },
    { name: 'crawl', followsRedirects: true, use: (urls) => crawl(deps, urls) },
    {
      name: 'callback',
      followsRedirects: false,
      use: (urls) => eachCall(urls, (url) => ({ ...reads, callbacks: { joined: { url } } })),
    },
    {
      name: 'webhook',
      followsRedirects: false,
      use: async (urls) => {
        const webhook = (url: string) =>
          made(api.request('POST', '/api/webhooks', { url, events: ['call.started'] }));
        await Promise.all(urls.map(webhook));
        await api.createCall();
      },
    },
    { name: 'batch-webhook', followsRedirects: false, use: (urls) => runBatches(deps, urls) },
  ];
}

async function made<T>(request: Promise<{ status: number; body: T }>, expected = 201): Promise<T> {
  const { status, body } = await request;
  if (status !== expected) throw new Error(`unexpected status ${status}: ${JSON.stringify(body)}`);
  return body;
}

function toolFor(url: string) {
  return { description: 'Asks.', http: { baseUrlPattern: url, httpMethod: 'GET' } };
}

let tools = 0;
function nextToolName(): string {
  tools += 1;
  return `ask${tools}`;
}

async function testTools({ api }: OutboundTestDeps, urls: readonly string[]): Promise<void> {
  const test = async (url: string): Promise<void> => {
    const body = { name: nextToolName(), definition: toolFor(url) };
    const { toolId } = await made(api.request<Tool>('POST', '/api/tools', body));
    await api.request<CallTool>('POST', `/api/tools/${toolId}/test`, {});
  };
  await Promise.all(urls.map(test));
}

/** Creates a call for each URL, for which the service lists the tools of the MCP server. */
async function listMcpTools({ api }: OutboundTestDeps, urls: readonly string[]): Promise<void> {
  const list = async (url: string): Promise<void> => {
    const temporaryTool = { modelToolName: nextToolName(), mcp: { url } };
    const body = {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      selectedTools: [{ temporaryTool }],
    };
    await made(api.request('POST', '/api/calls', body), 400);
  };
  await Promise.all(urls.map(list));
}

/** Makes one call whose model calls all tools at once. */
async function callTools({ api, standIn }: OutboundTestDeps, urls: readonly string[]): Promise<void> {
  const named = urls.map((url) => ({ url, name: nextToolName() }));
  await standIn.control({
    llm: {
      rules: [
        {
          last: 'user',
          contains: 'all of them',
          reply: { toolCalls: named.map(({ name }) => ({ name })) },
        },
      ],
      replies: ['Done.'],
    },
  });
  const { client } = await api.startCall({
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    firstSpeakerSettings: { user: {} },
    selectedTools: named.map(({ url, name }) => ({
      temporaryTool: { modelToolName: name, ...toolFor(url) },
    })),
  });
  client.send({ type: 'user_text_message', text: 'Ask all of them.' });
}

async function crawl({ api }: OutboundTestDeps, urls: readonly string[]): Promise<void> {
  const { corpusId } = await made(api.request<Corpus>('POST', '/api/corpora', { name: 'crawled' }));
  const source = (startUrls: readonly string[]) =>
    made(
      api.request<CorpusSource>('POST', `/api/corpora/${corpusId}/sources`, {
        crawl: { startUrls, maxDepth: 1 },
      }),
    );
  const most = 20;
  for (let at = 0; at < urls.length; at += most) await source(urls.slice(at, at + most));
}

/** Each batch ends when its only call is created, which the service reports to its webhook. */
async function runBatches({ api }: OutboundTestDeps, urls: readonly string[]): Promise<void> {
  const { agentId } = await made(
    api.request<{ agentId: string }>('POST', '/api/agents', {
      callTemplate: { medium: { serverWebSocket: { inputSampleRate: 16_000 } } },
    }),
  );
  const path = `/api/agents/${agentId}/scheduled_batches`;
  await Promise.all(urls.map((webhookUrl) => made(api.request('POST', path, { webhookUrl, calls: [{}] }))));
}
