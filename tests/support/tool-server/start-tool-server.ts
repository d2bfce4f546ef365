import { join } from 'node:path';
import { askStandIn, startStandInProcess } from '@calls/testkit/stand-in-process';
import type { ScriptedResponse } from './script.ts';
import type { SeenToolRequest } from './server.ts';

export type { ScriptedResponse, SeenToolRequest };

/** A customer tool server in its own process that returns configured responses and records requests. */
export interface ToolServer extends AsyncDisposable {
  readonly url: string;
  /** Sets the responses of a path, in order. The last one is repeated. Paths without a script get 404. */
  script(path: string, ...responses: [ScriptedResponse, ...ScriptedResponse[]]): Promise<void>;
  /** Requests so far in order, for this path or for all. */
  requests(path?: string): Promise<SeenToolRequest[]>;
}

export async function startToolServer(
  options: {
    /** Secrets of the calls. Requests that are not signed with all of them are rejected. Must not contain commas. */
    secrets?: readonly string[];
    /** API that verifies call tokens. */
    apiUrl?: string;
  } = {},
): Promise<ToolServer> {
  const { secrets = [], apiUrl } = options;
  const child = await startStandInProcess<{ url: string }>(join(import.meta.dirname, 'main.ts'), {
    ...(secrets.length > 0 && { SHARED_SECRETS: secrets.join(',') }),
    ...(apiUrl !== undefined && { API_URL: apiUrl }),
  });
  const { url } = child.ready;
  return {
    url,
    async script(path, ...responses) {
      await askStandIn(`${url}/-/script`, { path, responses });
    },
    async requests(path) {
      const all = (await askStandIn(`${url}/-/requests`)) as SeenToolRequest[];
      return path === undefined ? all : all.filter((request) => request.path === path);
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
