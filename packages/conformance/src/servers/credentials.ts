/** Who somebody is for a store. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}
