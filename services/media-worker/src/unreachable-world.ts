import type { DataConnections, ToolServices } from '@calls/conversation';
import { AppError } from '@calls/foundation';

const refuse = (what: string): Promise<never> =>
  Promise.reject(new AppError('unavailable', `${what} can not be reached`, { retryable: false }));

/** What calls get of the world where nothing is connected. */
export const unreachableTools: ToolServices = {
  http: { send: () => refuse('tool servers') },
  corpora: { query: () => refuse('corpora') },
  stages: { resolve: () => refuse('the control-plane') },
  callTokens: {
    issue: () => {
      throw new AppError('unavailable', 'call tokens can not be made', { retryable: false });
    },
  },
  signatureHeaders: () => ({}),
};

export const noDataConnections: DataConnections = {
  open: () => ({ send: () => undefined, writeAudio: null, close: () => Promise.resolve() }),
};
