import type { Api } from '../api.ts';

/** An API field that contains a customer URL. */
export interface UrlField {
  readonly what: string;
  /** Path of the POST request. */
  readonly path: string;
  /** Returns a body that is valid except for the URL. */
  readonly give: (url: string) => object;
  /** Path of the expected issue. */
  readonly issuePath: string;
}

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
const generic = (url: string) => ({ generic: { url, body: { text: '{text}' } } });
const tool = (url: string) => ({ description: 'Asks.', http: { baseUrlPattern: url, httpMethod: 'GET' } });

/** Settings that calls and call templates share. */
const SETTINGS: readonly Omit<UrlField, 'path'>[] = [
  {
    what: 'data connection',
    give: (url) => ({ dataConnection: { websocketUrl: url.replace(/^http/u, 'ws') } }),
    issuePath: 'dataConnection.websocketUrl',
  },
  {
    what: 'clip',
    give: (url) => ({ backgroundAudio: { audioClip: url } }),
    issuePath: 'backgroundAudio.audioClip',
  },
  { what: 'voice', give: (url) => ({ externalVoice: generic(url) }), issuePath: 'externalVoice.generic.url' },
  {
    what: 'tool',
    give: (url) => ({ selectedTools: [{ temporaryTool: { modelToolName: 'ask', ...tool(url) } }] }),
    issuePath: 'selectedTools.0.temporaryTool.http.baseUrlPattern',
  },
  {
    what: 'MCP server',
    give: (url) => ({ selectedTools: [{ temporaryTool: { modelToolName: 'ask', mcp: { url } } }] }),
    issuePath: 'selectedTools.0.temporaryTool.mcp.url',
  },
];
const CALLBACKS: readonly Omit<UrlField, 'path'>[] = ['joined', 'ended', 'billed'].map((event) => ({
  what: `callback ${event}`,
  give: (url) => ({ callbacks: { [event]: { url } } }),
  issuePath: `callbacks.${event}.url`,
}));

export async function urlFields(api: Api): Promise<UrlField[]> {
  const made = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await api.request<Record<string, unknown>>('POST', path, body)).body;
  const { agentId } = await made('/api/agents', { callTemplate: { medium } });
  const { corpusId } = await made('/api/corpora', { name: 'crawled' });
  const ofCalls = [...SETTINGS, ...CALLBACKS].map(({ what, give, issuePath }): UrlField => ({
    what: `${what} of a call`,
    path: '/api/calls',
    give: (url) => ({ medium, ...give(url) }),
    issuePath,
  }));
  const ofAgents = SETTINGS.map(({ what, give, issuePath }): UrlField => ({
    what: `${what} of an agent`,
    path: '/api/agents',
    give: (url) => ({ callTemplate: { medium, ...give(url) } }),
    issuePath: `callTemplate.${issuePath}`,
  }));
  return [
    ...ofCalls,
    ...ofAgents,
    {
      what: 'callback of a call of an agent',
      path: `/api/agents/${String(agentId)}/calls`,
      give: (url) => ({ callbacks: { ended: { url } } }),
      issuePath: 'callbacks.ended.url',
    },
    {
      what: 'tool',
      path: '/api/tools',
      give: (url) => ({ name: 'ask', definition: tool(url) }),
      issuePath: 'definition.http.baseUrlPattern',
    },
    {
      what: 'voice',
      path: '/api/voices',
      give: (url) => ({ name: 'own', definition: generic(url) }),
      issuePath: 'definition.generic.url',
    },
    {
      what: 'voice preview',
      path: '/api/voice_preview',
      give: (url) => ({ name: 'own', definition: generic(url) }),
      issuePath: 'definition.generic.url',
    },
    {
      what: 'webhook',
      path: '/api/webhooks',
      give: (url) => ({ url, events: ['call.ended'] }),
      issuePath: 'url',
    },
    {
      what: 'crawl',
      path: `/api/corpora/${String(corpusId)}/sources`,
      give: (url) => ({ crawl: { startUrls: [url] } }),
      issuePath: 'crawl.startUrls.0',
    },
    {
      what: 'batch webhook',
      path: `/api/agents/${String(agentId)}/scheduled_batches`,
      give: (webhookUrl) => ({ webhookUrl, calls: [{}] }),
      issuePath: 'webhookUrl',
    },
  ];
}
