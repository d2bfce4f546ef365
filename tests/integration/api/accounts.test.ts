import { afterAll, describe, expect, it } from '@jest/globals';
import { FEATURES, type Account } from '@calls/api-contract/rest/account';
import type { AccountBillingInfo, Invoice } from '@calls/api-contract/rest/billing';
import type { Page } from '@calls/api-contract/rest/common';
import { operations } from '@calls/api-contract/operations';
import { World } from '../../support/contract/world.ts';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, [...FEATURES]);
const world = new World(account);
afterAll(() => harness.stop());

describe('the account list of an API key', () => {
  it('contains only the account of the key', async () => {
    const { body: own } = await account.request<Account>('/api/accounts/me');
    expect((await account.request<Account[]>('/api/accounts')).body).toEqual([own]);
  });
});

describe('billing', () => {
  const billingOf = async (owner: TestAccount): Promise<AccountBillingInfo> =>
    (await owner.request<AccountBillingInfo>('/api/accounts/me/billing')).body;
  const invoicesOf = (owner: TestAccount, query = ''): Promise<Page<Invoice>> =>
    owner.list<Invoice>(`/api/accounts/me/billing/invoices${query}`);

  it('is empty when the operator has stored no billing data', async () => {
    expect(await billingOf(account)).toEqual({ paymentMethod: null, billingEmail: null });
    expect(await invoicesOf(account)).toEqual({ results: [], next: null, previous: null, total: 0 });
  });

  it('returns the billing data that the operator stored for the account', async () => {
    const owner = await harness.account();
    await harness.query(
      `update accounts set payment_method = 'card', billing_email = 'pay@example.com' where account_id = $1`,
      owner.accountId,
    );
    await harness.query(
      `insert into invoices (account_id, invoice_number, invoiced_at, amount, billing_reason, status, url)
       select $1, 'A-' || n, timestamptz '2026-01-01' + n * interval '1 day', n * 100, 'subscription_cycle', 'paid',
         'https://billing.example.com/A-' || n
       from generate_series(1, 12) n`,
      owner.accountId,
    );
    expect(await billingOf(owner)).toEqual({ paymentMethod: 'card', billingEmail: 'pay@example.com' });
    const page = await invoicesOf(owner);
    expect([page.total, page.results.length]).toEqual([12, 10]);
    expect(page.results[0]).toEqual({
      invoiceDate: '2026-01-13T00:00:00.000Z',
      amount: 1200,
      billingReason: 'subscription_cycle',
      invoiceNumber: 'A-12',
      invoiceStatus: 'paid',
      invoiceUrl: 'https://billing.example.com/A-12',
    });
    const rest = await owner.list<Invoice>(page.next!);
    expect(rest.results.map(({ invoiceNumber }) => invoiceNumber)).toEqual(['A-2', 'A-1']);
    expect((await invoicesOf(owner, '?pageSize=3')).results).toHaveLength(3);
    expect((await invoicesOf(account)).total).toBe(0);
  });
});

describe('a trailing slash in a path', () => {
  const readers = operations.filter(({ method }) => method === 'GET');

  it.each(readers.map((operation) => [operation.id, operation] as const))(
    '%s returns the same status with and without the slash',
    async (_id, operation) => {
      const path = (await world.pathOf(operation)).replace(/\/$/u, '');
      const statuses = await Promise.all(
        [path, `${path}/`].map(async (each) => {
          const headers = { 'X-API-Key': account.key };
          const response = await fetch(`${harness.url}${each}`, { headers, redirect: 'manual' });
          // Event streams do not end.
          await response.body?.cancel();
          return response.status;
        }),
      );
      expect(statuses[1]).toBe(statuses[0]);
    },
  );

  it('does not invalidate the cursors of a list', async () => {
    for (let i = 0; i < 2; i += 1) await account.createCall();
    const { next } = await account.list('/api/calls/?pageSize=1');
    expect(new URL(next!).pathname).toBe('/api/calls/');
    const without = next!.replace('/api/calls/?', '/api/calls?');
    expect((await account.request(without)).status).toBe(200);
  });

  it('is accepted when a call is created', async () => {
    const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
    expect((await account.post('/api/calls/', { medium })).status).toBe(201);
    for (const path of ['/api/schema', '/api/schema/']) {
      const response = await fetch(`${harness.url}${path}`);
      await response.arrayBuffer();
      expect([path, response.status]).toEqual([path, 200]);
    }
  });
});
