// Every message between client and server, its codec, and the protocol version. Nothing here sends or stores anything:
// transport and storage belong in the modules above.
