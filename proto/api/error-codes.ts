// The stable codes of every error a person can meet, and what each becomes at each edge of the programs.

/** What one code means outside: the CLI's exit code and the gRPC status (numbers of grpc/status.proto). */
interface CodeMeaning {
  readonly exit: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 130;
  readonly grpc: number;
}

const GRPC = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

/** One row a code; add a row here before throwing a new code. Exit codes: 0 ok, 1 failed, 2 usage or ambiguous, 3 not found, 4 denied, 5 timed out, 6 conflict, 130 interrupted. */
export const ERROR_CODES = {
  USAGE: { exit: 2, grpc: GRPC.INVALID_ARGUMENT },
  BAD_CONFIG: { exit: 2, grpc: GRPC.INVALID_ARGUMENT },
  BAD_INPUT: { exit: 2, grpc: GRPC.INVALID_ARGUMENT },
  BAD_POLICY: { exit: 2, grpc: GRPC.INVALID_ARGUMENT },
  AMBIGUOUS: { exit: 2, grpc: GRPC.INVALID_ARGUMENT },
  BAD_KUBECONFIG: { exit: 2, grpc: GRPC.FAILED_PRECONDITION },
  DEVICE_NOT_FOUND: { exit: 3, grpc: GRPC.NOT_FOUND },
  NOT_FOUND: { exit: 3, grpc: GRPC.NOT_FOUND },
  API_NOT_SERVED: { exit: 3, grpc: GRPC.FAILED_PRECONDITION },
  UNAUTHENTICATED: { exit: 4, grpc: GRPC.UNAUTHENTICATED },
  CERTIFICATE_EXPIRED: { exit: 4, grpc: GRPC.UNAUTHENTICATED },
  CERTIFICATE_UNTRUSTED: { exit: 4, grpc: GRPC.UNAUTHENTICATED },
  EXEC_CREDENTIAL: { exit: 4, grpc: GRPC.UNAUTHENTICATED },
  FORBIDDEN: { exit: 4, grpc: GRPC.PERMISSION_DENIED },
  NOT_GRANTED: { exit: 4, grpc: GRPC.PERMISSION_DENIED },
  DEVICE_BLOCKED: { exit: 4, grpc: GRPC.FAILED_PRECONDITION },
  TIMED_OUT: { exit: 5, grpc: GRPC.DEADLINE_EXCEEDED },
  CONFLICT: { exit: 6, grpc: GRPC.ABORTED },
  GONE: { exit: 6, grpc: GRPC.ABORTED },
  DEVICE_BUSY: { exit: 6, grpc: GRPC.FAILED_PRECONDITION },
  DEVICE_NOT_READY: { exit: 1, grpc: GRPC.FAILED_PRECONDITION },
  TOO_MANY_DEVICES: { exit: 1, grpc: GRPC.RESOURCE_EXHAUSTED },
  VM_NOT_RUNNING: { exit: 1, grpc: GRPC.FAILED_PRECONDITION },
  DEVICE_CHANGED: { exit: 6, grpc: GRPC.FAILED_PRECONDITION },
  CLAIM_REPLACED: { exit: 6, grpc: GRPC.FAILED_PRECONDITION },
  CLAIM_NOT_ALLOCATED: { exit: 6, grpc: GRPC.FAILED_PRECONDITION },
  NO_FREE_PORT: { exit: 1, grpc: GRPC.RESOURCE_EXHAUSTED },
  SERVER_UNREACHABLE: { exit: 1, grpc: GRPC.UNAVAILABLE },
  SERVER_ERROR: { exit: 1, grpc: GRPC.UNAVAILABLE },
  TOO_MANY_REQUESTS: { exit: 1, grpc: GRPC.UNAVAILABLE },
  INVALID_OBJECT: { exit: 1, grpc: GRPC.INVALID_ARGUMENT },
  PEER_UNREACHABLE: { exit: 1, grpc: GRPC.UNAVAILABLE },
  PEER_REFUSED: { exit: 1, grpc: GRPC.FAILED_PRECONDITION },
  PROTOCOL: { exit: 1, grpc: GRPC.INTERNAL },
  KERNEL: { exit: 1, grpc: GRPC.INTERNAL },
  CORRUPT_STATE: { exit: 1, grpc: GRPC.INTERNAL },
  POLICY_TRAPPED: { exit: 1, grpc: GRPC.INTERNAL },
  KEYBOARD_NEEDS_USBFS: { exit: 1, grpc: GRPC.FAILED_PRECONDITION },
  INTERRUPTED: { exit: 130, grpc: GRPC.UNKNOWN },
  INTERNAL: { exit: 1, grpc: GRPC.INTERNAL },
} as const satisfies Record<string, CodeMeaning>;

export type ErrorCode = keyof typeof ERROR_CODES;
