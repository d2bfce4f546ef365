import { CompiledQuery } from 'kysely';
import type { ClientBase } from 'pg';

/** Names of prepared statements, by their text. */
const names = new Map<string, string>();

/**
 * A frequent statement: the server parses and plans it once for each connection, if this is not one to a pooler. The
 * statement must name the columns of its result, because a prepared `select *` fails once a migration adds a column.
 */
export function preparedStatement<Row>(
  name: string,
  text: string,
): (...values: unknown[]) => CompiledQuery<Row> {
  names.set(text, name);
  return (...values) => CompiledQuery.raw(text, values);
}

/** Makes a client of PostgreSQL itself prepare these statements. */
export function prepareStatements(client: ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  const prepared = (text: unknown, values: unknown, ...others: unknown[]): unknown => {
    const name = typeof text === 'string' ? names.get(text) : undefined;
    return name === undefined ? query(text, values, ...others) : query({ name, text, values }, ...others);
  };
  client.query = prepared as typeof client.query;
}
