import { Type } from 'typebox';
import { Account } from '../rest/account.ts';
import { AccountBillingInfo, Invoice } from '../rest/billing.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Accounts';

export const listAccounts = defineOperation({
  id: 'listAccounts',
  method: 'GET',
  path: '/api/accounts',
  tag,
  summary: 'Lists the accounts that the key can see: its own.',
  status: 200,
  response: Type.Array(Account),
});

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: '/api/accounts/me',
  tag,
  summary: 'Gets the account of the key, its plan and what it has left.',
  status: 200,
  response: Account,
});

export const getBillingInfo = defineOperation({
  id: 'getBillingInfo',
  method: 'GET',
  path: '/api/accounts/me/billing',
  tag,
  summary: 'Gets how the account pays.',
  description: 'As the operator of this installation stored it. This service has no payment provider.',
  status: 200,
  response: AccountBillingInfo,
});

export const listInvoices = defineList({
  id: 'listInvoices',
  path: '/api/accounts/me/billing/invoices',
  tag,
  summary: 'Lists the invoices of the account, newest first.',
  description: 'As the operator of this installation stored them. This service writes no invoices.',
  defaultPageSize: 10,
  item: Invoice,
  itemName: 'Invoice',
});

export const accountOperations = [listAccounts, getAccount, getBillingInfo, listInvoices];
