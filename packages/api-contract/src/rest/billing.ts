import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const AccountBillingInfo = Closed(
  {
    paymentMethod: Nullable(Type.String(), 'How the account pays; null unless the operator has stored it.'),
    billingEmail: Nullable(
      Type.String(),
      'Address that invoices go to; null unless the operator has stored it.',
    ),
  },
  'AccountBillingInfo',
  'How an account pays.',
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
    invoiceDate: described(DateTime, 'When the invoice was issued.'),
    amount: Type.Integer({
      description: 'Amount in the smallest unit of the currency, for example cents.',
    }),
    billingReason: Type.Enum([...BILLING_REASONS], { description: 'Why the invoice was issued.' }),
    invoiceNumber: Type.String({ description: 'Number of the invoice.' }),
    invoiceStatus: Type.Enum([...INVOICE_STATUSES], { description: 'Whether the invoice is paid.' }),
    invoiceUrl: Type.String({ format: 'uri', description: 'Where the invoice can be viewed.' }),
  },
  'Invoice',
  'An invoice, as the operator stored it.',
);
export type Invoice = Static<typeof Invoice>;
