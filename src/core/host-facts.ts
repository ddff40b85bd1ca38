/** Facts about this process and its machine. A start with real money depends on them. */
export interface HostFacts {
  /** Options of Node itself on the command line, such as `--inspect`. */
  readonly nodeArguments: readonly string[];
  /** Arguments after the program. */
  readonly programArguments: readonly string[];
  /** User id; undefined: a system without users. */
  readonly userId: number | undefined;
  /** Whether a debugger may connect to this process now. */
  isInspected(): boolean;
  /** Soft limit of the size of a core dump in bytes, `unlimited`, or undefined: it cannot be read. */
  coreDumpLimit(): Promise<string | undefined>;
  /** The disk under a path, or under its nearest folder that exists; undefined: it cannot be read. */
  diskOf(path: string): Promise<DiskFacts | undefined>;
  /** undefined: there is no such file. */
  fileAccess(path: string): Promise<FileAccess | undefined>;
}

export interface DiskFacts {
  /** Type of the file system as the system names it: `ext4`, `tmpfs`. */
  readonly fileSystem: string;
  /** Bytes that this user may still write. */
  readonly freeBytes: number;
}

export interface FileAccess {
  readonly kind: 'file' | 'link' | 'other';
  /** User id of the owner. */
  readonly owner: number;
  /** The nine permission bits. */
  readonly permissions: number;
}

/** All addresses of a host name, IPv4 and IPv6. Rejects when the name cannot be resolved. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;
