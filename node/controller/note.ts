// What people are told of a change, as an Event beside the object.

export interface Note {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'Assigned'
    | 'Unassigned'
    | 'Plugged'
    | 'Unplugged'
    | 'FingerprintChanged'
    | 'NodeNotReady'
    | 'NamespaceMissing';
  readonly message: string;
}
