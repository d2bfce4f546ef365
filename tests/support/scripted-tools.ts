import type { CallToolSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { StageRequest, ToolHttpResponse, ToolServices } from '@calls/conversation/ports/tools';
import { delay, type Clock } from '@calls/foundation/clock';
import { noTools } from '@calls/testkit/scripted/scripted-services';

type ToolRequest = Parameters<ToolServices['http']['send']>[0];

export interface ScriptedToolServer extends ToolServices {
  readonly requests: ToolRequest[];
  readonly stageRequests: StageRequest[];
  /** Number of aborted requests. */
  aborted: number;
  /** Unfinished work that may outlast the call. */
  pendingWork: number;
}

export interface ToolScripts {
  delayMs?: number;
  /** Responses by path of the request. */
  answers?: Record<string, Partial<ToolHttpResponse> | Error>;
  stage?: (request: StageRequest) => StageSpec;
  passages?: readonly CorpusQueryResult[];
}

/** Tool services that follow a script. */
export function scriptedToolServer(clock: Clock, scripts: ToolScripts): ScriptedToolServer {
  const { delayMs = 200, answers = {}, stage, passages = [] } = scripts;
  const server: ScriptedToolServer = {
    ...noTools,
    requests: [],
    stageRequests: [],
    aborted: 0,
    pendingWork: 0,
    addBackgroundWork(work) {
      server.pendingWork += 1;
      void work.then(() => (server.pendingWork -= 1));
    },
    http: {
      async send(request, { signal }) {
        server.requests.push(request);
        try {
          await delay(clock, delayMs, signal);
        } catch (thrown) {
          server.aborted += 1;
          throw thrown;
        }
        const answer = answers[new URL(request.url).pathname] ?? {};
        if (answer instanceof Error) throw answer;
        return { status: 200, headers: {}, body: 'done', ...answer };
      },
    },
    corpora: { query: () => Promise.resolve(passages) },
    stages: {
      async resolve(request) {
        server.stageRequests.push(request);
        await delay(clock, 20);
        if (!stage) throw new Error('no stages');
        return stage(request);
      },
    },
    callTokens: { issue: ({ callId, scopes }) => `token ${callId} ${scopes.join(',')}` },
    signatureHeaders: (callId, secrets) =>
      secrets.length === 0 ? {} : { 'X-Svc-Call-ID': callId, 'X-Svc-Signature': secrets.join(',') },
  };
  return server;
}

/** An HTTP tool at https://tools.test/<name>, without parameters unless overridden. */
export function httpTool(name: string, definition: CallToolSpec['definition'] = {}): CallToolSpec {
  return {
    name,
    builtIn: null,
    auth: { headers: {}, queryParams: {} },
    definition: {
      description: `does ${name}`,
      timeout: '2.5s',
      http: { baseUrlPattern: `https://tools.test/${name}`, httpMethod: 'POST' },
      ...definition,
    },
  };
}

export function clientTool(name: string, definition: CallToolSpec['definition'] = {}): CallToolSpec {
  return { ...httpTool(name), definition: { timeout: '2.5s', client: {}, ...definition } };
}

export function builtInTool(
  name: NonNullable<CallToolSpec['builtIn']>,
  definition: CallToolSpec['definition'] = {},
): CallToolSpec {
  return { ...httpTool(name), builtIn: name, definition };
}
