import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { Client } from 'pg';

/** A PostgreSQL of this process, reached over the network like any other. */
export class LedgerDatabase {
  readonly url: string;
  readonly #engine: PGlite;
  readonly #server: PGLiteSocketServer;
  readonly #clients: Client[] = [];

  private constructor(engine: PGlite, server: PGLiteSocketServer) {
    this.#engine = engine;
    this.#server = server;
    this.url = `postgres://postgres@${server.getServerConn()}/postgres`;
  }

  static async start(): Promise<LedgerDatabase> {
    const engine = await PGlite.create();
    const server = new PGLiteSocketServer({ db: engine, host: '127.0.0.1', port: 0, maxConnections: 16 });
    await server.start();
    return new LedgerDatabase(engine, server);
  }

  async connect(): Promise<Client> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
    await this.#server.stop();
    await this.#engine.close();
  }
}
