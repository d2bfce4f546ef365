import { exampleIds } from './example-values.ts';

export const adminAccount = {
  accountId: exampleIds.account,
  created: '2026-03-01T09:00:00.000Z',
  status: 'active',
  name: 'Seaview Hotels',
  plan: 'PRO',
  features: ['sip'],
  limits: { concurrentCalls: 50 },
  billingEmail: null,
  paymentMethod: null,
  effectiveLimits: {
    apiRequestsPerSecond: 500,
    apiRequestsPerSecondPerKey: 200,
    callCreationPerSecond: 10,
    callCreationPerMinute: 120,
    concurrentCalls: 50,
    priorityCalls: 0,
    freeMinutes: null,
  },
  freeTimeUsed: '0s',
  activeCalls: 2,
  suspended: null,
  suspensionReason: null,
  deleted: null,
};

export const adminInvitation = {
  url: 'https://calls.example.com/invitation#mB4rT0cKq1yF0m9Zt3gN2xVh7wQp5sLd8uJk6eRiYcA',
  keyName: 'first key',
  expires: '2026-03-02T09:00:00.000Z',
};

export const auditLogEntry = {
  entryId: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c13',
  time: '2026-03-04T09:00:00.000Z',
  administrator: 'alice',
  action: 'account.updated',
  accountId: exampleIds.account,
  apiKeyPrefix: null,
  changes: { plan: { before: 'PAYGO', after: 'PRO' } },
  sourceAddress: '127.0.0.1',
  requestId: '0198c9f0-5a3e-7c41-9d2b-6f1e8a7b3c14',
};
