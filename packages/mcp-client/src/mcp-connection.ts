import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { abortable, type Clock } from '@calls/foundation/clock';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { AccessTokens } from './access-tokens.ts';
import type { OAuthClient } from './client-credentials.ts';
import { guardedFetch, type OperationLimits } from './guarded-fetch.ts';
import { McpError, mcpTimeout } from './mcp-error.ts';
import { asMcpError } from './sdk-errors.ts';
import { toolResult, type McpToolResult } from './tool-result.ts';

/** An MCP server with streamable HTTP transport, as one account uses it. */
export interface McpServer {
  url: string;
  /** Headers of all requests; they may contain secrets. */
  headers: Readonly<Record<string, string>>;
  accountId: string;
  /** Gets the access tokens of requests. */
  oauthClient?: OAuthClient;
}

/** A tool that a server offers. */
export interface McpTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments, from the server: not checked. */
  inputSchema: Readonly<Record<string, unknown>>;
  /** The server claims that the tool changes nothing. */
  isReadOnly: boolean;
}

export interface McpOperation {
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface McpDeps {
  outbound: OutboundHttp;
  clock: Clock;
  /** Shared by connections. */
  accessTokens: AccessTokens;
  /** Creates the headers that sign one request. */
  signatureHeaders?: () => Readonly<Record<string, string>>;
}

interface Session {
  client: Client;
  transport: StreamableHTTPClientTransport;
}

const CLIENT = { name: 'calls', version: '0.1.0' };
const CONNECT_LIMIT_MS = 10_000;
const MIN_RECONNECT_DELAY_MS = 200;
const MAX_LIST_PAGES = 10;
/** Exceeds the time limit of every operation, because operations have their own timers. */
const SDK_TIMEOUT_MS = 60_000;

/** The output schemas of servers are not evaluated in this process. */
const NO_OUTPUT_CHECKS: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * A connection to an MCP server. The session opens with the first operation. One that the server has ended is opened
 * again, once for each operation. Operations reject with an McpError, or with the reason of their signal.
 *
 * Import this module when it is used for the first time: to load the SDK takes a service 0.3 s of CPU time.
 */
export class McpConnection implements AsyncDisposable {
  readonly #server: McpServer;
  readonly #deps: McpDeps;
  readonly #current = new AsyncLocalStorage<OperationLimits>();
  #session: Promise<Session> | null = null;
  #isClosed = false;

  constructor(server: McpServer, deps: McpDeps) {
    this.#server = server;
    this.#deps = deps;
  }

  listTools(operation: McpOperation): Promise<McpTool[]> {
    return this.#run(operation, async (client) => {
      if (!client.getServerCapabilities()?.tools) return [];
      const { tools } = await client.listTools(undefined, { timeout: SDK_TIMEOUT_MS });
      return tools.map(({ name, description = '', inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        isReadOnly: annotations?.readOnlyHint === true,
      }));
    });
  }

  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    operation: McpOperation,
  ): Promise<McpToolResult> {
    // With a handler, servers may report progress; the time limit stays.
    const options = { timeout: SDK_TIMEOUT_MS, onprogress: () => undefined };
    return this.#run(operation, async (client, signal) =>
      toolResult(await client.callTool({ name, arguments: { ...args } }, { ...options, signal })),
    );
  }

  /** Ends the session. Running operations are cancelled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const session = await this.#session?.catch(() => null);
    if (session) await end(session);
  }

  async #run<T>(
    { timeoutMs, signal: outer }: McpOperation,
    use: (client: Client, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    outer?.throwIfAborted();
    /** Cancels the operation, then its HTTP requests, so that the server gets the cancellation. */
    const cancelled = new AbortController();
    const requests = new AbortController();
    const abort = (reason: unknown): void => {
      cancelled.abort(reason);
      requests.abort(reason);
    };
    const { clock } = this.#deps;
    const onAbort = (): void => abort(outer?.reason);
    outer?.addEventListener('abort', onAbort, { once: true });
    const timer = clock.setTimer(timeoutMs, () => abort(mcpTimeout(timeoutMs)));
    const { signal } = cancelled;
    const limits: OperationLimits = { timeoutMs, signal: requests.signal };
    const attempt = async (): Promise<T> => {
      const { client } = await abortable(this.#open(), signal);
      return this.#current.run(limits, () => abortable(use(client, signal), signal));
    };
    try {
      const before = this.#session;
      return await attempt().catch((thrown: unknown) => {
        if (!isExpiredSession(thrown) || before === null) throw thrown;
        if (this.#session === before) this.#session = null;
        return attempt();
      });
    } catch (thrown) {
      throw signal.aborted ? signal.reason : asMcpError(thrown);
    } finally {
      timer.cancel();
      outer?.removeEventListener('abort', onAbort);
    }
  }

  /** Operations that begin at the same time share the session, and none can abort its opening for the others. */
  #open(): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new McpError('mcp_unreachable', 'the connection was closed'));
    if (this.#session) return this.#session;
    const opening = this.#connect();
    this.#session = opening;
    opening.catch(() => {
      if (this.#session === opening) this.#session = null;
    });
    return opening;
  }

  async #connect(): Promise<Session> {
    const { url, headers: ofServer, accountId: owner, oauthClient } = this.#server;
    const { outbound, clock, accessTokens, signatureHeaders } = this.#deps;
    const grant = oauthClient ? { url, accountId: owner, client: oauthClient } : null;
    const headers = () => ({ ...ofServer, ...signatureHeaders?.() });
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      fetch: guardedFetch(outbound, this.#current, {
        ...{ owner, headers },
        accessToken: grant && ((rejected) => accessTokens.get(grant, rejected)),
      }),
      // The guarded client follows them, and checks each.
      redirectPolicy: 'follow',
      reconnectionScheduler: (reconnect, delayMs) => {
        const timer = clock.setTimer(Math.max(delayMs, MIN_RECONNECT_DELAY_MS), reconnect);
        return () => timer.cancel();
      },
    });
    const client = new Client(CLIENT, {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      jsonSchemaValidator: NO_OUTPUT_CHECKS,
      listMaxPages: MAX_LIST_PAGES,
    });
    const overdue = new AbortController();
    const timer = clock.setTimer(CONNECT_LIMIT_MS, () => overdue.abort(mcpTimeout(CONNECT_LIMIT_MS)));
    const { signal } = overdue;
    const limits = { timeoutMs: CONNECT_LIMIT_MS, signal };
    try {
      await this.#current.run(limits, () =>
        abortable(client.connect(transport, { timeout: SDK_TIMEOUT_MS }), signal),
      );
      return { client, transport };
    } catch (thrown) {
      await client.close().catch(() => undefined);
      throw asMcpError(signal.aborted ? signal.reason : thrown);
    } finally {
      timer.cancel();
    }
  }
}

/** 404 by the specification; servers that were made after the examples of the SDK respond with 400. */
function isExpiredSession(thrown: unknown): boolean {
  if (!(thrown instanceof SdkHttpError)) return false;
  const { status, text } = thrown.data;
  return status === 404 || (status === 400 && typeof text === 'string' && /session/iu.test(text));
}

async function end({ client, transport }: Session): Promise<void> {
  await transport.terminateSession().catch(() => undefined);
  await client.close().catch(() => undefined);
}
