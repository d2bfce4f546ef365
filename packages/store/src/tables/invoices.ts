import type { Selectable } from 'kysely';
import { pagesOf, type PageSource } from '../keyset.ts';
import type { InvoiceTable } from '../schema/account.ts';
import type { Database } from '../store.ts';

export type InvoiceRow = Selectable<InvoiceTable>;

/** Newest first. */
export function invoicesOf(db: Database, accountId: string): PageSource<InvoiceRow> {
  return pagesOf(db.selectFrom('invoices').selectAll().where('account_id', '=', accountId), {
    by: ['invoiced_at', 'invoice_number'],
    direction: 'desc',
    keyOf: (row) => [row.invoiced_at.toISOString(), row.invoice_number],
  });
}
