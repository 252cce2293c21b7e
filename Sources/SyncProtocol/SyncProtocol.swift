// Every message between client and server, the codec of each, and the version of the protocol.
// Nothing here sends anything: transport and storage live in the modules above.
