import type { Server } from 'node:tls';

export declare const ADDRESS: string;
export declare const NAME: string;
export declare function isPublicNetworkPossible(): boolean;
export declare function preparePublicNetwork(folder: string): void;
export declare function publicNetworkArgs(
  folder: string,
  script: string,
  args: readonly string[],
): string[];
export declare function serveTls(folder: string, port: number): Promise<Server>;
