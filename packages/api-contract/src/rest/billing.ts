import { Type, type Static } from 'typebox';
import { Closed, DateTime, Nullable } from './common.ts';

/** How an account pays. Null where the operator has not stored it. */
export const AccountBillingInfo = Closed(
  { paymentMethod: Nullable(Type.String()), billingEmail: Nullable(Type.String()) },
  'AccountBillingInfo',
);
export type AccountBillingInfo = Static<typeof AccountBillingInfo>;

export const BILLING_REASONS = [
  'manual',
  'subscription_create',
  'subscription_cycle',
  'subscription_threshold',
  'subscription_update',
] as const;
export type BillingReason = (typeof BILLING_REASONS)[number];

export const INVOICE_STATUSES = ['paid', 'unpaid'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const Invoice = Closed(
  {
    invoiceDate: DateTime,
    amount: Type.Integer({ description: 'In the smallest unit of the currency, such as cents.' }),
    billingReason: Type.Enum([...BILLING_REASONS]),
    invoiceNumber: Type.String(),
    invoiceStatus: Type.Enum([...INVOICE_STATUSES]),
    invoiceUrl: Type.String({ format: 'uri' }),
  },
  'Invoice',
);
export type Invoice = Static<typeof Invoice>;
