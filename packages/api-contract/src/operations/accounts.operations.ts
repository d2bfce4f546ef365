import { Type } from 'typebox';
import { Account } from '../rest/account.ts';
import { AccountBillingInfo, Invoice } from '../rest/billing.ts';
import { account, invoice } from './examples/accounts.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Accounts';

export const listAccounts = defineOperation({
  id: 'listAccounts',
  method: 'GET',
  path: '/api/accounts',
  tag,
  summary: 'List accounts',
  description: 'Returns the accounts that the key can see: the one that it belongs to.',
  example: { response: [account] },
  status: 200,
  response: Type.Array(Account),
});

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: '/api/accounts/me',
  tag,
  summary: 'Get the account',
  description: 'Returns the account of the key with its plan, limits and free time.',
  example: { response: account },
  status: 200,
  response: Account,
});

export const getBillingInfo = defineOperation({
  id: 'getBillingInfo',
  method: 'GET',
  path: '/api/accounts/me/billing',
  tag,
  summary: 'Get billing details',
  description:
    'Returns how the account pays, as the operator stored it. This service has no payment provider.',
  example: { response: { paymentMethod: 'Visa ending in 4242', billingEmail: 'billing@example.com' } },
  status: 200,
  response: AccountBillingInfo,
});

export const listInvoices = defineList({
  id: 'listInvoices',
  path: '/api/accounts/me/billing/invoices',
  tag,
  summary: 'List invoices',
  description: 'Returns the invoices that the operator stored for the account, newest first.',
  example: { response: pageOf(invoice) },
  defaultPageSize: 10,
  item: Invoice,
  itemName: 'Invoice',
});

export const accountOperations = [listAccounts, getAccount, getBillingInfo, listInvoices];
