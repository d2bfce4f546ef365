import { exampleIds } from './example-values.ts';

export const account = {
  accountId: exampleIds.account,
  name: 'Seaview Hotels',
  billingUrl: 'https://api.example.com',
  freeTimeUsed: '0s',
  freeTimeRemaining: '0s',
  hasActiveSubscription: true,
  subscriptionTier: 'PRO',
  subscriptionCadence: null,
  subscriptionExpiration: null,
  subscriptionScheduledUpdate: null,
  subscriptionRenewal: null,
  activeCalls: 2,
  allowedConcurrentCalls: null,
  allowedVoices: null,
  allowedCorpora: null,
};

export const invoice = {
  invoiceDate: '2026-03-01T00:00:00.000Z',
  amount: 4990,
  billingReason: 'subscription_cycle',
  invoiceNumber: '2026-0007',
  invoiceStatus: 'paid',
  invoiceUrl: 'https://billing.example.com/invoices/2026-0007',
};

export const apiKey = {
  prefix: 'Ab3dE6gH',
  created: '2026-03-02T09:00:00.000Z',
  creator: null,
  name: 'production',
  role: 'administrator',
  expiryDate: null,
  lastUsed: '2026-03-04T10:15:00.000Z',
  revoked: false,
};

export const createdApiKey = { ...apiKey, lastUsed: null, secret: 'Ab3dE6gH.<32 more characters>' };

export const invitation = {
  invitationId: exampleIds.invitation,
  name: 'Bo',
  role: 'member',
  created: '2026-03-04T10:15:00.000Z',
  creator: 'Ab3dE6gH',
  expires: '2026-03-07T10:15:00.000Z',
};

export const createdInvitation = { ...invitation, url: 'https://calls.example.com/invitation#<token>' };
