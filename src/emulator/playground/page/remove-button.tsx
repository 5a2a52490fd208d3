interface RemoveButtonProps {
  /** The name of the value that it removes. */
  readonly label: string;
  readonly onClick: () => void;
}

export function RemoveButton({ label, onClick }: RemoveButtonProps) {
  return (
    <button type="button" class="small" aria-label={`Remove ${label}`} onClick={onClick}>
      ×
    </button>
  );
}
