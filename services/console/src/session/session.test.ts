import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { SIGN_IN } from './session.ts';

const { fetch } = globalThis;
let status: number;

beforeEach(() => {
  globalThis.fetch = () => Promise.resolve(Response.json({ detail: 'no', code: 'no' }, { status }));
});
afterEach(() => {
  globalThis.fetch = fetch;
});

describe('SIGN_IN', () => {
  it.each([200, 401])(
    'removes the API key from memory when the form closes after response %i',
    async (answer) => {
      status = answer;
      const queries = new QueryClient();
      const form = new MutationObserver(queries, SIGN_IN);
      const leave = form.subscribe(() => undefined);
      await form.mutate('abcdefgh.a-secret-api-key').catch(() => undefined);
      expect(
        JSON.stringify(
          queries
            .getMutationCache()
            .getAll()
            .map(({ state }) => state),
        ),
      ).toContain('a-secret-api-key');
      leave();
      // Never ends if the mutation stays in the cache.
      while (queries.getMutationCache().getAll().length > 0)
        await new Promise((resolve) => setTimeout(resolve));
    },
  );
});
