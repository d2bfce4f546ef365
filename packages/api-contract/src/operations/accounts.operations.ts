import { Account } from '../rest/account.ts';
import { defineOperation } from './operation.ts';

export const getAccount = defineOperation({
  id: 'getAccount',
  method: 'GET',
  path: '/api/accounts/me',
  tag: 'Accounts',
  summary: 'Gets the account of the key, its plan and what it has left.',
  status: 200,
  answer: Account,
});

export const accountOperations = [getAccount];
