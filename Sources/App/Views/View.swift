package import Screen

/// The screen of a state: as large as the terminal, whatever the state is.
package func view(_ state: AppState) -> Canvas {
    Canvas(size: state.size)
}
