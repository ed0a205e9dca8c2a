import type { Client } from 'pg';

const tables = `
  CREATE TABLE IF NOT EXISTS fences (
    resource text PRIMARY KEY,
    fence numeric(39) NOT NULL
  );
  CREATE TABLE IF NOT EXISTS entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text NOT NULL,
    amount bigint NOT NULL,
    fence numeric(39) NOT NULL
  )`;

// The row of the fence is locked by the same statement that writes, so nobody comes between the comparison and the write.
const append = `
  WITH fenced AS (
    INSERT INTO fences AS known (resource, fence) VALUES ($1, $3::numeric)
    ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence WHERE known.fence <= excluded.fence
    RETURNING fence
  )
  INSERT INTO entries (account, amount, fence) SELECT $1, $2, fence FROM fenced`;

/**
 * Accounts in PostgreSQL that refuse whoever was overtaken.
 *
 * Each write carries the fence of the writer's grant. One statement compares it with the highest one seen, raises that one, and writes; so a
 * former leader that paused, woke up and does not know better changes nothing.
 */
export class FencedLedger {
  readonly #database: Pick<Client, 'query'>;

  constructor(database: Pick<Client, 'query'>) {
    this.#database = database;
  }

  /** Makes the tables where there are none. */
  async prepare(): Promise<void> {
    await this.#database.query(tables);
  }

  /** Writes an entry; `false` when somebody with a greater fence has written to this account. */
  async append(account: string, amount: number, fence: string): Promise<boolean> {
    const { rowCount } = await this.#database.query(append, [account, amount, fence]);
    return rowCount === 1;
  }

  /** Amounts of an account, in the order in which they were written. */
  async amounts(account: string): Promise<readonly number[]> {
    const text = 'SELECT amount::int FROM entries WHERE account = $1 ORDER BY id';
    const { rows } = await this.#database.query<{ amount: number }>(text, [account]);
    return rows.map(({ amount }) => amount);
  }
}
